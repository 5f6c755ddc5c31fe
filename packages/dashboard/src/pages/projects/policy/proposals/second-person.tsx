import { useQuery } from '@tanstack/react-query';
import { api } from '../../../../api/client.ts';
import { renew } from '../../../../api/query-client.ts';
import { useSubmit } from '../../../../api/use-submit.ts';
import { toast } from '../../../../ui/announce.tsx';
import { Button } from '../../../../ui/button.tsx';
import { Card } from '../../../../ui/card.tsx';
import { ErrorPanel } from '../../../../ui/notice.tsx';
import { Waiting } from '../../../../ui/waiting.tsx';
import { projectQuery, useProject } from '../../project-frame/queries.ts';
import type { SecondPerson } from '../wire.ts';

/** Whether a policy change needs two people, and the setting for it. */
export function SecondPersonCard() {
  const { projectId, isAtLeast, path } = useProject();
  const { data: project, error } = useQuery(projectQuery(projectId));
  const change = useSubmit(async () => {
    const body = { required: !project?.policy_second_person };
    const { proposal, required } = await api.put<SecondPerson>(path('/policies/second-person'), body);
    if (proposal) toast('Proposed: somebody else has to approve it.', 'info');
    else
      toast(required ? 'Changes take a second person from now on.' : 'One person is enough again.', 'good');
    await renew(['projects', projectId]);
  });
  if (!project) return error ? <ErrorPanel error={error} /> : <Waiting />;
  const isAsked = project.policy_second_person;
  return (
    <Card
      title={isAsked ? 'A change of this policy takes two people' : 'One person may change this policy'}
      actions={
        isAtLeast('owner') &&
        project.mode === 'live' && (
          <Button busy={change.busy} onClick={change.submit}>
            {isAsked ? 'Propose that one is enough' : 'Ask for a second person'}
          </Button>
        )
      }
    >
      <ErrorPanel error={change.error} />
      <p>
        {isAsked
          ? 'What one admin or owner proposes, another one puts in force. To end this takes the second person itself.'
          : 'With a second person, what one admin or owner proposes comes in force only when another one approves it.'}
      </p>
      {project.mode === 'test' && (
        <p className="soft">This is a test project; only live ones can ask for it.</p>
      )}
      {project.mode === 'live' && !isAtLeast('owner') && <p className="soft">An owner decides about this.</p>}
      <p className="soft small">
        It binds changes of the policy, and only an owner makes somebody an admin or owner while it is so. Who
        else is a member, and of which groups, also says who may approve requests: one admin alone changes
        that, and the audit log tells of it. Where it matters, let a rule ask for somebody by address, or for
        role:owner.
      </p>
    </Card>
  );
}
