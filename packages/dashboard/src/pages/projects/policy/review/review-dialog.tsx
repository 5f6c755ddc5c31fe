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
import * as policyWords from '../policy.words.ts';
import { policyKey } from '../policy-queries.ts';
import type { Policy } from '../wire.ts';
import { Difference } from './difference.tsx';
import * as words from './review.words.ts';
import { SimulationResult } from './simulation-result.tsx';
import { useSimulation } from './use-simulation.ts';

/** Shows what a change would do before the person publishes or proposes it. */
export function ReviewDialog({
  title,
  base,
  document,
  needsSecondPerson,
  onSaved,
  onConflict,
  onClose,
}: {
  title: string;
  /** The version from which the draft started; the gate replaces only this one. */
  base: Policy;
  document: Policy['policy'];
  needsSecondPerson: boolean;
  onSaved: (policy: Policy | null) => void;
  /** Somebody else published a version in between. */
  onConflict: () => void;
  onClose: () => void;
}) {
  const simulation = useSimulation(useProjectId(), document);
  const [comment, setComment] = useState('');
  const save = useSave({ base, document, comment, needsSecondPerson }, onSaved);
  const isConflict = isRefusal(save.error, 'precondition_failed');
  const isSimulating = simulation.state.kind === 'running';
  return (
    <Dialog
      open
      width="wide"
      title={title}
      onClose={onClose}
      actions={
        <>
          <Button onClick={onClose}>{words.goBack}</Button>
          <Button
            tone="primary"
            busy={save.busy}
            disabled={isSimulating || isConflict}
            title={isSimulating ? words.stillSimulating : undefined}
            onClick={save.submit}
          >
            {needsSecondPerson ? words.propose : words.publish}
          </Button>
        </>
      }
    >
      <div className="stack">
        {isConflict ? (
          <Notice tone="warn" title={words.conflict.title}>
            {words.conflict.nothingSaved} <Button onClick={onConflict}>{words.conflict.view}</Button>
          </Notice>
        ) : (
          <ErrorPanel error={save.error} title={words.notSaved} focus />
        )}
        <section className="stack tight">
          <h3>{policyWords.impact}</h3>
          <SimulationResult {...simulation} />
        </section>
        <section className="stack tight">
          <h3>{policyWords.changesFrom(base.version)}</h3>
          <Difference before={base.policy} after={document} />
        </section>
        {needsSecondPerson && (
          <TextArea
            label={words.comment.label}
            optional
            rows={2}
            maxLength={2000}
            hint={words.comment.hint}
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
  needsSecondPerson: boolean;
}

function useSave(change: Change, onSaved: (policy: Policy | null) => void) {
  const { projectId, path } = useProject();
  const { base, document, comment, needsSecondPerson } = change;
  // Another comment makes another proposal, so it needs a key of its own.
  const { idempotencyKey } = useMemo(() => ({ comment, idempotencyKey: newIdempotencyKey() }), [comment]);
  const headers = { 'if-match': `"${base.hash}"` };
  return useSubmit(async () => {
    const put = () => api.put<Policy>(path('/policies'), document, { headers });
    const propose = () => {
      const note = comment.trim() === '' ? {} : { comment: comment.trim() };
      const options = { headers, idempotencyKey };
      return api.post(path('/policies/proposals'), { policy: document, ...note }, options).then(() => null);
    };
    const policy = needsSecondPerson ? await propose() : await put();
    void renew(policyKey(projectId));
    toast(policy ? words.published(policy.version) : words.proposed, 'good');
    onSaved(policy);
  });
}
