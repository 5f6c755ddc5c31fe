/** The project itself, and the chat that is told of it. */
import { DateTime } from '../../../../ui/time.tsx';
import { count, type EventWords, Said } from './wording.tsx';

export const PROJECT_WORDS = {
  'project.created': {
    group: 'project',
    label: 'Made',
    says: (data) => (
      <>
        made the project <Said value={data.name} />, {String(data.mode)}, with <Said value={data.owner} /> as
        its owner
      </>
    ),
  },
  'project.renamed': {
    group: 'project',
    label: 'Renamed',
    says: (data) => (
      <>
        renamed the project from <Said value={data.previous_name} /> to <Said value={data.name} />
      </>
    ),
  },
  'project.limit_updated': {
    group: 'project',
    label: 'Limit set',
    says: (data) =>
      data.per_minute === null
        ? 'left to the gate how many requests a minute there may be'
        : data.per_minute === 0
          ? 'had any number of requests a minute accepted'
          : `had ${count(data.per_minute, 'request', 'requests')} a minute accepted`,
  },
  'project.stopped': { group: 'project', label: 'Stopped', says: () => 'stopped the project' },
  'project.started': { group: 'project', label: 'Started', says: () => 'started the project again' },
  'project.restored': {
    group: 'project',
    label: 'Restored from a backup',
    says: (data) => (
      <>
        restored the gate from a backup of <DateTime at={String(data.copied_at)} />, and took{' '}
        {count(data.approvals_revoked, 'approval', 'approvals')} back
      </>
    ),
  },
  'chat_hook.updated': {
    group: 'project',
    label: 'Chat set up',
    says: () => 'set up which chat is told of requests',
  },
  'chat_hook.removed': {
    group: 'project',
    label: 'Chat removed',
    says: () => 'removed the chat that was told of requests',
  },
} satisfies EventWords;
