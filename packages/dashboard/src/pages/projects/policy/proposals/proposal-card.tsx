import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { api } from '../../../../api/client.ts';
import { renew } from '../../../../api/query-client.ts';
import { useSignedIn } from '../../../../api/session.ts';
import { waitingProposalsQuery } from '../../../../api/waiting-proposals.ts';
import { CommentField } from '../../../../decide/comment-field.tsx';
import { InertText } from '../../../../inert-text/inert-text.tsx';
import { toast } from '../../../../ui/announce.tsx';
import { Button } from '../../../../ui/button.tsx';
import { Card } from '../../../../ui/card.tsx';
import { FormDialog } from '../../../../ui/form-dialog.tsx';
import { ErrorPanel, Notice } from '../../../../ui/notice.tsx';
import { RelativeTime } from '../../../../ui/time.tsx';
import { useProject, useProjectId } from '../../project-frame/queries.ts';
import * as policyWords from '../policy.words.ts';
import { Difference } from '../review/difference.tsx';
import { SimulationResult } from '../review/simulation-result.tsx';
import { useSimulation } from '../review/use-simulation.ts';
import type { Policy, PolicyProposal } from '../wire.ts';
import { AgentChange } from './agent-change.tsx';
import * as words from './proposals.words.ts';

interface ProposalProps {
  proposal: PolicyProposal;
  active: Policy;
}

type Verb = 'approve' | 'reject' | 'withdraw';

/** One policy change: who proposed it, what it would do, and the buttons to approve, reject or withdraw it. */
export function ProposalCard({ proposal, active }: ProposalProps) {
  const { user } = useSignedIn();
  const { mayManage } = useProject();
  const [isOpen, open] = useState(false);
  const isMine = proposal.proposed_by.id === user.id;
  const isStale = proposal.change === 'policy' && proposal.based_on.version !== active.version;
  return (
    <Card tone="warn" title={words.titles[proposal.change]}>
      <p>
        {words.proposed(
          isMine ? words.you : <InertText text={proposal.proposed_by.display} />,
          <Proposed proposal={proposal} />,
          <RelativeTime at={proposal.created_at} />,
        )}{' '}
        {proposal.change === 'second_person_off' && words.secondPersonOffConsequence}
      </p>
      {proposal.comment !== null && (
        <blockquote className="policy-comment">
          <InertText text={proposal.comment} />
        </blockquote>
      )}
      {isStale && (
        <Notice tone="warn" title={words.stale}>
          {words.staleWhy(proposal.based_on.version, active.version)}
        </Notice>
      )}
      {proposal.policy && (
        <div className="button-row">
          <Button aria-expanded={isOpen} onClick={() => open(!isOpen)}>
            {isOpen ? words.hideChanges : words.viewChanges}
          </Button>
        </div>
      )}
      {proposal.agent && <AgentChange change={proposal.agent} />}
      {isOpen && proposal.policy && <Consequences policy={proposal.policy} active={active} />}
      {mayManage && <Resolve proposal={proposal} isMine={isMine} isStale={isStale} />}
    </Card>
  );
}

function Proposed({ proposal }: { proposal: PolicyProposal }) {
  if (proposal.change === 'policy') return words.changeToVersion(proposal.based_on.version);
  if (proposal.change === 'second_person_off') return words.secondPersonOff;
  if (!proposal.agent) return words.changeToAnAgent;
  return words.changeToAgent(<InertText text={proposal.agent.name} />);
}

function Consequences({ policy, active }: { policy: Policy['policy']; active: Policy }) {
  const { mayManage } = useProject();
  return (
    <div className="stack">
      {mayManage && <Impact policy={policy} />}
      <section className="stack tight">
        <h3>{policyWords.changesFrom(active.version)}</h3>
        <Difference before={active.policy} after={policy} />
      </section>
    </div>
  );
}

function Impact({ policy }: { policy: Policy['policy'] }) {
  const simulation = useSimulation(useProjectId(), policy);
  return (
    <section className="stack tight">
      <h3>{policyWords.impact}</h3>
      <SimulationResult {...simulation} />
    </section>
  );
}

interface ResolveProps {
  proposal: PolicyProposal;
  isMine: boolean;
  isStale: boolean;
}

function Resolve({ proposal, isMine, isStale }: ResolveProps) {
  const { projectId, path } = useProject();
  const [isRejecting, setRejecting] = useState(false);
  const [reason, setReason] = useState('');
  const resolve = useMutation({
    mutationFn: (verb: Verb) =>
      api.post(
        path(`/policies/proposals/${proposal.id}/${verb}`),
        verb === 'reject' && reason.trim() !== '' ? { reason: reason.trim() } : {},
      ),
    onSuccess: (_, verb) => toast(words.done[verb], 'good'),
    onSettled() {
      setRejecting(false);
      void renew(waitingProposalsQuery.queryKey);
      return renew(['projects', projectId]);
    },
  });
  if (isMine) {
    return (
      <>
        <ErrorPanel error={resolve.error} />
        <div className="button-row">
          <Button busy={resolve.isPending} onClick={() => resolve.mutate('withdraw')}>
            {words.withdraw}
          </Button>
          <span className="soft small">{words.needsAnother}</span>
        </div>
      </>
    );
  }
  return (
    <>
      <ErrorPanel error={resolve.error} />
      <div className="button-row">
        <Button
          tone="approve"
          icon="check"
          busy={resolve.isPending}
          disabled={isStale}
          onClick={() => resolve.mutate('approve')}
        >
          {words.approve}
        </Button>
        <Button tone="deny" onClick={() => setRejecting(true)}>
          {words.reject}
        </Button>
      </div>
      {isRejecting && (
        <FormDialog
          title={words.rejectDialog}
          submitLabel={words.reject}
          tone="danger"
          form={{ submit: () => resolve.mutate('reject'), busy: resolve.isPending }}
          onClose={() => setRejecting(false)}
        >
          <CommentField label={words.reason} comment={reason} onComment={setReason} />
        </FormDialog>
      )}
    </>
  );
}
