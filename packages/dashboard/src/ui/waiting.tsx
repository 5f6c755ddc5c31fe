import * as words from './ui.words.ts';

/** A spinning ring, as large as the text around it. */
export function Spinner() {
  return <span className="spinner" aria-hidden="true" />;
}

/** Shown while a page or a part of it loads. Renders nothing for the first quarter of a second. */
export function Waiting({ label = words.loading }: { label?: string }) {
  return (
    <div className="waiting" role="status">
      <Spinner />
      <span>{label}…</span>
    </div>
  );
}

/** Placeholder lines, for lists that keep their position. */
export function Skeleton({ lines = 5, label = words.loading }: { lines?: number; label?: string }) {
  return (
    <div className="skeleton" role="status">
      <span className="unseen">{label}…</span>
      {Array.from({ length: lines }, (_, line) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: all lines are alike and never move
        <i key={line} aria-hidden="true" />
      ))}
    </div>
  );
}
