import type { ReactNode } from 'react';
import { type Data, type EventWords, Said } from './wording.tsx';

export const AGENT_WORDS = {
  'agent.registered': {
    group: 'agents',
    label: 'Registered',
    says: (data) => (
      <>
        registered the agent <Said value={data.name} />
      </>
    ),
  },
  'agent.updated': {
    group: 'agents',
    label: 'Changed',
    says: (data) => (
      <>
        changed {Array.isArray(data.changed) ? data.changed.join(', ') : 'something'} of the agent{' '}
        <Said value={data.name} />
      </>
    ),
  },
  'agent.owner_left': {
    group: 'agents',
    label: 'Owner left',
    says: (data) => (
      <>
        left the agent <Said value={data.name} /> without its owner: its keys expire in 7 days
      </>
    ),
  },
  'agent.keys_ending': {
    group: 'agents',
    label: 'Keys expire soon',
    says: (data) => (
      <>
        recorded that the keys of the agent <Said value={data.name} /> expire within a day
      </>
    ),
  },
  'agent.paused': { group: 'agents', label: 'Paused', says: (data) => agent('paused', data) },
  'agent.resumed': { group: 'agents', label: 'Resumed', says: (data) => agent('resumed', data) },
  'agent.revoked': { group: 'agents', label: 'Revoked', says: (data) => agent('revoked, for good,', data) },
} satisfies EventWords;

function agent(done: string, data: Data): ReactNode {
  return (
    <>
      {done} the agent <Said value={data.name} />
    </>
  );
}
