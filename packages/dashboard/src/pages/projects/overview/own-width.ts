import { useEffect, useRef, useState } from 'react';

/** The actual width of an element in pixels. A drawing of that width keeps its text readable on any screen. */
export function useOwnWidth<E extends HTMLElement>(): [React.RefObject<E | null>, number] {
  const element = useRef<E>(null);
  const [width, setWidth] = useState(0);
  useEffect(() => {
    if (!element.current) return;
    const observer = new ResizeObserver(([entry]) => {
      if (entry) setWidth(Math.floor(entry.contentRect.width));
    });
    observer.observe(element.current);
    return () => observer.disconnect();
  }, []);
  return [element, width];
}
