import { type ReactNode, useEffect, useRef, useState } from 'react';

/** A reader who has not come near by then may want to print, or to search the page. */
const LATEST_MS = 3000;

/** Its children once a reader comes near them, or a little later: for what stands far down and has to be loaded. */
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
