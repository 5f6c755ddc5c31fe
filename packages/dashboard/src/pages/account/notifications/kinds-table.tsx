import { Checkbox } from '../../../ui/checkbox.tsx';
import { Table } from '../../../ui/table.tsx';
import * as words from './notifications.words.ts';
import type { Preferences } from './queries.ts';

type Channels = Preferences['channels'];
type Kind = keyof Channels;

interface KindRow {
  kind: Kind;
  title: string;
  hint: string;
}

const KINDS: readonly KindRow[] = [
  { kind: 'waiting', title: words.waiting, hint: words.waitingMeans },
  { kind: 'reminder', title: words.reminder, hint: words.reminderMeans },
  { kind: 'decided', title: words.decided, hint: words.decidedMeans },
  { kind: 'resolved', title: words.resolved, hint: words.resolvedMeans },
  { kind: 'revoked', title: words.revoked, hint: words.revokedMeans },
  { kind: 'proposed', title: words.proposed, hint: words.proposedMeans },
  { kind: 'security', title: words.security, hint: words.securityMeans },
];

/** Which kinds of notification use which channel. */
export function KindsTable({
  channels,
  onChange,
}: {
  channels: Channels;
  onChange: (channels: Channels) => void;
}) {
  const byChannel =
    (channel: 'mail' | 'push', header: string) =>
    ({ kind, title }: KindRow) => (
      <Checkbox
        label={<span className="unseen">{words.kindByChannel(title, header)}</span>}
        checked={channels[kind][channel]}
        disabled={kind === 'security' && channel === 'mail'}
        onChange={({ target }) =>
          onChange({ ...channels, [kind]: { ...channels[kind], [channel]: target.checked } })
        }
      />
    );
  return (
    <div className="notifications-kinds">
      <Table
        caption={words.kinds}
        rows={KINDS}
        rowKey={({ kind }) => kind}
        columns={{
          [words.kind]: ({ title, hint }) => (
            <>
              {title}
              <div className="soft small notifications-hint">{hint}</div>
            </>
          ),
          [words.email]: byChannel('mail', words.email),
          [words.byPush]: byChannel('push', words.byPush),
        }}
      />
    </div>
  );
}
