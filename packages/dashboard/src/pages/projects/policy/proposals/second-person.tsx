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
import * as words from './proposals.words.ts';

/** Whether a policy change needs two people, and the setting for it. */
export function SecondPersonCard() {
  const { projectId, isAtLeast, path } = useProject();
  const { data: project, error } = useQuery(projectQuery(projectId));
  const change = useSubmit(async () => {
    const body = { required: !project?.policy_second_person };
    const { proposal, required } = await api.put<SecondPerson>(path('/policies/second-person'), body);
    if (proposal) toast(words.offProposed, 'info');
    else toast((required ? words.ruleOn : words.ruleOff).started, 'good');
    await renew(['projects', projectId]);
  });
  if (!project) return error ? <ErrorPanel error={error} /> : <Waiting />;
  const rule = project.policy_second_person ? words.ruleOn : words.ruleOff;
  return (
    <Card
      title={rule.title}
      actions={
        isAtLeast('owner') &&
        project.mode === 'live' && (
          <Button busy={change.busy} onClick={change.submit}>
            {rule.button}
          </Button>
        )
      }
    >
      <ErrorPanel error={change.error} />
      <p>{rule.text}</p>
      {project.mode === 'test' && <p className="soft">{words.onlyLive}</p>}
      {project.mode === 'live' && !isAtLeast('owner') && <p className="soft">{words.onlyOwners}</p>}
      <p className="soft small">{words.ruleLimits}</p>
    </Card>
  );
}
