import { type KeyboardEvent, type ReactNode, useId, useRef, useState } from 'react';
import { NavLink, useSearchParams } from 'react-router';

interface TabsProps {
  label: string;
  tabs: readonly { id: string; label: ReactNode; content: ReactNode }[];
}

/** Several panels in one place, with one visible. Arrow keys move between the tabs. */
export function Tabs({ initial, ...rest }: TabsProps & { initial?: string }) {
  const [chosen, choose] = useState(initial);
  return <TabBar {...rest} chosen={chosen} onChoose={choose} />;
}

/** The same with a URL for each tab: `?tab=<id>`. Without the parameter, or with an unknown ID, the first tab opens. */
export function AddressedTabs(props: TabsProps) {
  const [params, setParams] = useSearchParams();
  const choose = (id: string) =>
    setParams((before) => {
      const next = new URLSearchParams(before);
      if (id === props.tabs[0]?.id) next.delete('tab');
      else next.set('tab', id);
      return next;
    });
  return <TabBar {...props} chosen={params.get('tab') ?? undefined} onChoose={choose} />;
}

function TabBar({
  label,
  tabs,
  chosen,
  onChoose,
}: TabsProps & { chosen: string | undefined; onChoose: (id: string) => void }) {
  const base = useId();
  const bar = useRef<HTMLDivElement>(null);
  const current = tabs.find(({ id }) => id === chosen) ?? tabs[0];

  const move = (event: KeyboardEvent) => {
    const at = tabs.findIndex(({ id }) => id === current?.id);
    const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: tabs.length - 1 }[event.key];
    if (to === undefined) return;
    event.preventDefault();
    const next = tabs[(to + tabs.length) % tabs.length];
    if (next) onChoose(next.id);
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
            onClick={() => tab.id !== current?.id && onChoose(tab.id)}
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

/** The same look for pages with URLs of their own. */
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
