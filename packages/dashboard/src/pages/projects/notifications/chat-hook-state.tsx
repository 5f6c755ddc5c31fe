import { useState } from 'react';
import { api } from '../../../api/client.ts';
import { renew } from '../../../api/query-client.ts';
import { useSubmit } from '../../../api/use-submit.ts';
import { InertText } from '../../../inert-text/inert-text.tsx';
import { toast } from '../../../ui/announce.tsx';
import { Button } from '../../../ui/button.tsx';
import { Facts } from '../../../ui/facts.tsx';
import { ConfirmDialog } from '../../../ui/form-dialog.tsx';
import { ErrorPanel, Notice } from '../../../ui/notice.tsx';
import { RelativeTime } from '../../../ui/time.tsx';
import { useProjectId } from '../project-frame/queries.ts';
import { chatHookPath, chatHookQuery, type Hook } from './queries.ts';

/** After this time, a message was sent or the first attempt failed. */
const POLL_AGAIN_MS = 4000;

/** The existing chat hook, its state, and the button to remove it. */
export function ChatHookState({ hook }: { hook: Hook }) {
  const projectId = useProjectId();
  const { queryKey } = chatHookQuery(projectId);
  const [isRemoving, setRemoving] = useState(false);
  const test = useSubmit(async () => {
    await api.post(chatHookPath(projectId, '/test'));
    toast('The test message is on its way. Look into the channel.');
    setTimeout(() => void renew(queryKey), POLL_AGAIN_MS);
  });
  return (
    <div className="stack">
      <ErrorPanel error={test.error} />
      <Facts
        of={{
          Address: (
            <>
              <InertText text={hook.host} /> <span className="soft">…{hook.hint}</span>
            </>
          ),
          'Last message': hook.last_sent_at ? <RelativeTime at={hook.last_sent_at} /> : 'None yet',
        }}
      />
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
      {isRemoving && (
        <ConfirmDialog
          title="Disconnect the chat?"
          confirmLabel="Disconnect"
          change={() => api.delete(chatHookPath(projectId))}
          done="The chat is told nothing more."
          touched={queryKey}
          onClose={() => setRemoving(false)}
        >
          <p>The address is forgotten here, and the channel hears nothing more of this project.</p>
        </ConfirmDialog>
      )}
    </div>
  );
}
