import { type ReactNode, useEffect, useRef } from 'react';

/** A button that opens a short list of links and buttons. Escape, a choice, or a press elsewhere closes it. */
export function Menu({
  label,
  trigger,
  children,
}: {
  label: string;
  trigger: ReactNode;
  children: ReactNode;
}) {
  const menu = useRef<HTMLDetailsElement>(null);

  useEffect(() => {
    const close = (event: Event) => {
      const element = menu.current;
      if (!element?.open) return;
      const summary = element.querySelector('summary');
      if (event instanceof KeyboardEvent) {
        if (event.key !== 'Escape') return;
        element.open = false;
        summary?.focus();
        return;
      }
      const target = event.target as Node;
      const chose =
        target instanceof Element && target.closest('.menu-panel :is(a, button:not([data-stays]))');
      if (!element.contains(target) || chose) element.open = false;
    };
    document.addEventListener('keydown', close);
    document.addEventListener('click', close);
    return () => {
      document.removeEventListener('keydown', close);
      document.removeEventListener('click', close);
    };
  }, []);

  return (
    <details className="menu" ref={menu}>
      <summary className="button" data-tone="quiet" aria-label={label} title={label}>
        {trigger}
      </summary>
      <div className="menu-panel">{children}</div>
    </details>
  );
}
