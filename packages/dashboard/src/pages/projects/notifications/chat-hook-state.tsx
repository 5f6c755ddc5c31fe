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
import * as words from './notifications.words.ts';
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
    toast(words.testQueued);
    setTimeout(() => void renew(queryKey), POLL_AGAIN_MS);
  });
  return (
    <div className="stack">
      <ErrorPanel error={test.error} />
      <Facts
        of={{
          [words.facts.address]: (
            <>
              <InertText text={hook.host} /> <span className="soft">…{hook.hint}</span>
            </>
          ),
          [words.facts.lastMessage]: hook.last_sent_at ? (
            <RelativeTime at={hook.last_sent_at} />
          ) : (
            words.noMessage
          ),
        }}
      />
      {hook.last_error && (
        <Notice tone="warn" title={words.notDelivered}>
          {hook.last_error}
        </Notice>
      )}
      <div className="button-row">
        <Button busy={test.busy} onClick={test.submit}>
          {words.sendTest}
        </Button>
        <Button tone="deny" onClick={() => setRemoving(true)}>
          {words.disconnect}
        </Button>
      </div>
      {isRemoving && (
        <ConfirmDialog
          title={words.disconnectTitle}
          confirmLabel={words.disconnect}
          change={() => api.delete(chatHookPath(projectId))}
          done={words.disconnected}
          touched={queryKey}
          onClose={() => setRemoving(false)}
        >
          <p>{words.disconnectConsequence}</p>
        </ConfirmDialog>
      )}
    </div>
  );
}
