import { CopyButton } from './copy-button.tsx';
import * as words from './ui.words.ts';

const GROUP = 4;
const SHOWN = 8;

/** A hash. Short by default (both ends, with the whole on the clipboard); with `long`, all digits in groups of four. */
export function Hash({
  value,
  what = words.theHash,
  long = false,
}: {
  value: string;
  what?: string;
  long?: boolean;
}) {
  const colon = value.indexOf(':');
  const algorithm = value.slice(0, colon + 1);
  const digest = value.slice(colon + 1);
  if (!long) {
    return (
      <span className="hash">
        <code title={value}>
          {digest.length > 2 * SHOWN ? `${digest.slice(0, SHOWN)}…${digest.slice(-SHOWN / 2)}` : value}
        </code>
        <CopyButton text={value} what={what} />
      </span>
    );
  }
  const groups = digest.match(new RegExp(`.{1,${GROUP}}`, 'g')) ?? [];
  return (
    <span className="hash long">
      <code>
        {algorithm}{' '}
        {groups.map((group, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a group has no key besides its position
          <span key={index} className="group">
            {group}
          </span>
        ))}
      </code>
      <CopyButton text={value} what={what} />
    </span>
  );
}
