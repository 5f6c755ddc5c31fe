import { ORPHAN_SECONDS } from '../../gate/agents/orphan.ts';
import { addSeconds } from '../../gate/kernel/instant.ts';
import type { Telling } from '../../gate/notifications/to-telling.ts';
import { toInertLine } from '../inert-text.ts';
import { toTimeText } from '../time-text.ts';
import type { Words } from './words.ts';

/** Says that the owner of an agent left, so its keys expire soon. */
export function describeOwnerLeft(
  { project, agent }: Extract<Telling, { kind: 'agent_owner_left' }>,
  timeZone: string,
): Words {
  const name = toInertLine(agent.name, 80);
  const end = agent.ownerLeftAt === null ? [] : [addSeconds(agent.ownerLeftAt, ORPHAN_SECONDS)];
  return {
    title: `The owner of ${name} left the project`,
    lead: 'The agent’s keys expire soon. To keep them, an admin must take over the agent on its page.',
    facts: [
      { name: 'Agent', value: name },
      { name: 'Project', value: `${toInertLine(project.name, 100)} (${project.mode} mode)` },
      ...end.map((at) => ({ name: 'Keys expire', value: toTimeText(at, timeZone) })),
    ],
    path: `/projects/${project.id}/agents/${agent.id}`,
    linkLabel: 'View agent',
  };
}
