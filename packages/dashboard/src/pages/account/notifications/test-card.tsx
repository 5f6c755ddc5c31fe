import { api } from '../../../api/client.ts';
import { useSubmit } from '../../../api/use-submit.ts';
import { toast } from '../../../ui/announce.tsx';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { ErrorPanel } from '../../../ui/notice.tsx';
import type { Tests } from './queries.ts';

/** Sends a test notification. Only its arrival shows that delivery works. */
export function TestCard({ mailConfigured, devices }: { mailConfigured: boolean; devices: number }) {
  const { submit, busy, error } = useSubmit(async () => {
    const { mail, push } = await api.post<Tests>('/console/account/notifications/test');
    toast(`On its way: ${[mail > 0 && 'a mail', push > 0 && pushes(push)].filter(Boolean).join(' and ')}.`);
  });
  const reaches = mailConfigured || devices > 0;
  return (
    <Card title="Does it reach you?">
      <div className="stack">
        <ErrorPanel error={error} />
        <p>
          {reaches
            ? 'A test message goes to your address and to every device above.'
            : 'There is nothing to try yet: no mail server is set, and no device of yours takes push messages.'}
        </p>
        {reaches && (
          <div className="button-row">
            <Button busy={busy} onClick={submit}>
              Send a test message
            </Button>
          </div>
        )}
      </div>
    </Card>
  );
}

function pushes(count: number): string {
  return count === 1 ? 'a push message' : `${count} push messages`;
}
