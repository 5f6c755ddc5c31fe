import { type ReactNode, useEffect, useRef, useState } from 'react';

/** A reader who has not scrolled near it after this time may want to print or search the page. */
const LATEST_MS = 3000;

/**
 * Renders its children once the reader scrolls near them, or a little later. For parts far down that have to be loaded.
 */
export function WhenNear({ children }: { children: ReactNode }) {
  const mark = useRef<HTMLDivElement>(null);
  const [isNear, setNear] = useState(false);
  useEffect(() => {
    const element = mark.current;
    if (!element) return;
    const show = () => setNear(true);
    const observer = new IntersectionObserver(([entry]) => entry?.isIntersecting && show());
    observer.observe(element);
    const latest = setTimeout(show, LATEST_MS);
    return () => {
      observer.disconnect();
      clearTimeout(latest);
    };
  }, []);
  return isNear ? children : <div ref={mark} className="when-near" />;
}
