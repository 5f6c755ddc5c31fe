/** A turning ring, as large as the text it stands in. */
export function Spinner() {
  return <span className="spinner" aria-hidden="true" />;
}

/** Where a page or a part of one is on its way. Shows nothing for the first quarter of a second. */
export function Waiting({ label = 'Loading' }: { label?: string }) {
  return (
    <div className="waiting" role="status">
      <Spinner />
      <span>{label}…</span>
    </div>
  );
}

/** The shape of lines to come, for lists that keep their place. */
export function Skeleton({ lines = 5, label = 'Loading' }: { lines?: number; label?: string }) {
  return (
    <div className="skeleton" role="status">
      <span className="unseen">{label}…</span>
      {Array.from({ length: lines }, (_, line) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: lines are all alike and never move
        <i key={line} aria-hidden="true" />
      ))}
    </div>
  );
}
