import { useMemo, useState } from 'react';
import { isRefusal } from '../../../../api/api-error.ts';
import { api, newIdempotencyKey } from '../../../../api/client.ts';
import { renew } from '../../../../api/query-client.ts';
import { useSubmit } from '../../../../api/use-submit.ts';
import { toast } from '../../../../ui/announce.tsx';
import { Button } from '../../../../ui/button.tsx';
import { Dialog } from '../../../../ui/dialog.tsx';
import { ErrorPanel, Notice } from '../../../../ui/notice.tsx';
import { TextArea } from '../../../../ui/text-field.tsx';
import { useProject, useProjectId } from '../../project-frame/queries.ts';
import { policyKey } from '../policy-queries.ts';
import type { Policy } from '../wire.ts';
import { Difference } from './difference.tsx';
import { SimulationResult } from './simulation-result.tsx';
import { useSimulation } from './use-simulation.ts';

/** Shows what a change would do before the person publishes or proposes it. */
export function ReviewDialog({
  title,
  base,
  document,
  takesSecondPerson,
  onSaved,
  onConflict,
  onClose,
}: {
  title: string;
  /** The version from which the draft started; the gate replaces only this one. */
  base: Policy;
  document: Policy['policy'];
  takesSecondPerson: boolean;
  onSaved: (policy: Policy | null) => void;
  /** Somebody else published a version in between. */
  onConflict: () => void;
  onClose: () => void;
}) {
  const simulation = useSimulation(useProjectId(), document);
  const [comment, setComment] = useState('');
  const save = useSave({ base, document, comment, takesSecondPerson }, onSaved);
  const isConflict = isRefusal(save.error, 'precondition_failed');
  const isTrying = simulation.state.kind === 'running';
  return (
    <Dialog
      open
      width="wide"
      title={title}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>Back to the draft</Button>
          <Button
            tone="primary"
            busy={save.busy}
            disabled={isTrying || isConflict}
            title={isTrying ? 'It is being tried on the past; stop that to go on without' : undefined}
            onClick={save.submit}
          >
            {takesSecondPerson ? 'Propose it' : 'Put it in force'}
          </Button>
        </>
      }
    >
      <div className="stack">
        {isConflict ? (
          <Notice tone="warn" title="Somebody else has put another version in force meanwhile.">
            Nothing was saved. <Button onClick={onConflict}>See what they changed</Button>
          </Notice>
        ) : (
          <ErrorPanel error={save.error} title="It was not saved." focus />
        )}
        <section className="stack tight">
          <h3>What it would have done</h3>
          <SimulationResult {...simulation} />
        </section>
        <section className="stack tight">
          <h3>What changes from version {base.version}</h3>
          <Difference before={base.policy} after={document} />
        </section>
        {takesSecondPerson && (
          <TextArea
            label="Why"
            optional
            rows={2}
            maxLength={2000}
            hint="For the second person, without whom nothing comes in force."
            value={comment}
            onChange={(event) => setComment(event.target.value)}
          />
        )}
      </div>
    </Dialog>
  );
}

interface Change {
  base: Policy;
  document: Policy['policy'];
  comment: string;
  takesSecondPerson: boolean;
}

function useSave(change: Change, onSaved: (policy: Policy | null) => void) {
  const { projectId, path } = useProject();
  const key = useMemo(newIdempotencyKey, []);
  const { base, document, comment, takesSecondPerson } = change;
  const headers = { 'if-match': `"${base.hash}"` };
  return useSubmit(async () => {
    const put = () => api.put<Policy>(path('/policies'), document, { headers });
    const propose = () => {
      const said = comment.trim() === '' ? {} : { comment: comment.trim() };
      // The key includes the length of the comment: another comment after a refusal is another proposal.
      const options = { headers, idempotencyKey: `${key} ${comment.length}` };
      return api.post(path('/policies/proposals'), { policy: document, ...said }, options).then(() => null);
    };
    const policy = takesSecondPerson ? await propose() : await put();
    void renew(policyKey(projectId));
    toast(policy ? `Version ${policy.version} is in force.` : 'It waits for a second person.', 'good');
    onSaved(policy);
  });
}
