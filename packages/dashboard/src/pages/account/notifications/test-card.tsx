import { api } from '../../../api/client.ts';
import { useSubmit } from '../../../api/use-submit.ts';
import { toast } from '../../../ui/announce.tsx';
import { Button } from '../../../ui/button.tsx';
import { Card } from '../../../ui/card.tsx';
import { ErrorPanel } from '../../../ui/notice.tsx';
import * as words from './notifications.words.ts';
import type { Tests } from './queries.ts';

/** Sends a test notification. Only its arrival shows that delivery works. */
export function TestCard({ mailConfigured, devices }: { mailConfigured: boolean; devices: number }) {
  const { submit, busy, error } = useSubmit(async () => {
    const { mail, push } = await api.post<Tests>('/console/account/notifications/test');
    toast(words.testsQueued(mail, push));
  });
  const reaches = mailConfigured || devices > 0;
  return (
    <Card title={words.test}>
      <div className="stack">
        <ErrorPanel error={error} />
        <p>{reaches ? words.testLead : words.nothingToTest}</p>
        {reaches && (
          <div className="button-row">
            <Button busy={busy} onClick={submit}>
              {words.sendTest}
            </Button>
          </div>
        )}
      </div>
    </Card>
  );
}
