import { useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../api/client.ts';
import { useSubmit } from '../../../api/use-submit.ts';
import { InertText } from '../../../inert-text/inert-text.tsx';
import { toast } from '../../../ui/announce.tsx';
import { Button } from '../../../ui/button.tsx';
import { ConfirmDialog } from '../../../ui/dialog.tsx';
import { ErrorPanel, Notice } from '../../../ui/notice.tsx';
import { RelativeTime } from '../../../ui/time.tsx';
import { chatHookPath, chatHookQuery, type Hook } from './queries.ts';

/** By then a message was sent, or the first attempt failed. */
const POLL_AGAIN_MS = 4000;

/** The hook there is, how it goes, and the way out of it. */
export function ChatHookState({ projectId, hook }: { projectId: string; hook: Hook }) {
  const client = useQueryClient();
  const refresh = () => client.invalidateQueries(chatHookQuery(projectId));
  const [isRemoving, setRemoving] = useState(false);
  const test = useSubmit(async () => {
    await api.post(chatHookPath(projectId, '/test'));
    toast('The test message is on its way. Look into the channel.');
    setTimeout(() => void refresh(), POLL_AGAIN_MS);
  });
  const remove = useSubmit(async () => {
    await api.delete(chatHookPath(projectId));
    setRemoving(false);
    toast('The chat is told nothing more.');
    await refresh();
  });
  return (
    <div className="stack">
      <ErrorPanel error={test.error} />
      <dl className="facts">
        <dt>Address</dt>
        <dd>
          <InertText text={hook.host} /> <span className="soft">…{hook.hint}</span>
        </dd>
        <dt>Last message</dt>
        <dd>{hook.last_sent_at ? <RelativeTime at={hook.last_sent_at} /> : 'None yet'}</dd>
      </dl>
      {hook.last_error && (
        <Notice tone="warn" title="The latest message was not taken">
          {hook.last_error}
        </Notice>
      )}
      <div className="button-row">
        <Button busy={test.busy} onClick={test.submit}>
          Send a test message
        </Button>
        <Button tone="deny" onClick={() => setRemoving(true)}>
          Disconnect
        </Button>
      </div>
      <ConfirmDialog
        open={isRemoving}
        title="Disconnect the chat?"
        confirmLabel="Disconnect"
        busy={remove.busy}
        onConfirm={remove.submit}
        onCancel={() => setRemoving(false)}
      >
        <ErrorPanel error={remove.error} />
        <p>The address is forgotten here, and the channel hears nothing more of this project.</p>
      </ConfirmDialog>
    </div>
  );
}
