import { type KeyboardEvent, type ReactNode, useId, useRef, useState } from 'react';
import { NavLink } from 'react-router';

/** Several panels in one place, one shown. Arrow keys move between the tabs. */
export function Tabs({
  label,
  tabs,
  initial,
}: {
  label: string;
  tabs: readonly { id: string; label: ReactNode; content: ReactNode }[];
  initial?: string;
}) {
  const [chosen, choose] = useState(initial ?? tabs[0]?.id);
  const base = useId();
  const bar = useRef<HTMLDivElement>(null);
  const current = tabs.find(({ id }) => id === chosen) ?? tabs[0];

  const move = (event: KeyboardEvent) => {
    const at = tabs.findIndex(({ id }) => id === current?.id);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const next = tabs[(to + tabs.length) % tabs.length];
    choose(next?.id);
    bar.current?.querySelector<HTMLElement>(`[data-tab="${next?.id}"]`)?.focus();
  };

  return (
    <div>
      <div className="tabs" role="tablist" aria-label={label} ref={bar}>
        {tabs.map((tab) => (
          <button
            key={tab.id}
            type="button"
            role="tab"
            id={`${base}-${tab.id}`}
            data-tab={tab.id}
            aria-selected={tab.id === current?.id}
            aria-controls={`${base}-panel`}
            tabIndex={tab.id === current?.id ? 0 : -1}
            onClick={() => choose(tab.id)}
            onKeyDown={move}
          >
            {tab.label}
          </button>
        ))}
      </div>
      <div
        className="tab-panel"
        role="tabpanel"
        id={`${base}-panel`}
        aria-labelledby={`${base}-${current?.id}`}
      >
        {current?.content}
      </div>
    </div>
  );
}

/** The same look for pages that have addresses of their own. */
export function LinkTabs({
  label,
  links,
}: {
  label: string;
  links: readonly { to: string; label: ReactNode; end?: boolean }[];
}) {
  return (
    <nav className="tabs" aria-label={label}>
      {links.map(({ to, label: text, end = false }) => (
        <NavLink key={to} to={to} end={end}>
          {text}
        </NavLink>
      ))}
    </nav>
  );
}
