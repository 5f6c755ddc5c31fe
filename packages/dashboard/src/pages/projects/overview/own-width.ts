import { useEffect, useRef, useState } from 'react';

/** The width an element really has, in pixels: a drawing made for it keeps its letters readable on any screen. */
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
