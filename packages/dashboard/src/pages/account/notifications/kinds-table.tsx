import { Checkbox } from '../../../ui/checkbox.tsx';
import { Table } from '../../../ui/table.tsx';
import type { Preferences } from './queries.ts';

type Channels = Preferences['channels'];
type Kind = keyof Channels;

interface KindRow {
  kind: Kind;
  title: string;
  hint: string;
}

const KINDS: readonly KindRow[] = [
  {
    kind: 'waiting',
    title: 'A request waits for you',
    hint: 'Your approval is one of those it still needs.',
  },
  { kind: 'reminder', title: 'It still waits and soon expires', hint: 'Once, if you have not decided.' },
  {
    kind: 'decided',
    title: 'Yours was decided',
    hint: 'What you, or a program of yours, asked for or proposed.',
  },
  { kind: 'resolved', title: 'Somebody else decided', hint: 'Of what had waited for you.' },
  { kind: 'revoked', title: 'Your approval was revoked', hint: 'Its permit is refused from then on.' },
  {
    kind: 'proposed',
    title: 'A change of a policy waits for you',
    hint: 'Somebody proposed it, and it takes you or another second person.',
  },
  { kind: 'security', title: 'Your account', hint: 'Passkeys, second factor, devices. Always by mail.' },
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
        label={
          <span className="unseen">
            {title}: {header}
          </span>
        }
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
        caption="What you are told, and how"
        rows={KINDS}
        rowKey={({ kind }) => kind}
        columns={{
          'What happens': ({ title, hint }) => (
            <>
              {title}
              <div className="soft small notifications-hint">{hint}</div>
            </>
          ),
          Mail: byChannel('mail', 'Mail'),
          Push: byChannel('push', 'Push'),
        }}
      />
    </div>
  );
}
