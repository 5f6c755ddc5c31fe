/** A key as it is printed on the keyboard; not shown where there is none. */
export function KeyboardHint({ keys }: { keys: string }) {
  return <kbd className="key hint-only">{keys}</kbd>;
}
