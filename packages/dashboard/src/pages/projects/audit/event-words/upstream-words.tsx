/** Servers of tools behind the gate. */
import { count, type EventWords, Said } from './wording.tsx';

export const UPSTREAM_WORDS = {
  'upstream.added': {
    group: 'project',
    label: 'Server added',
    says: (data) => (
      <>
        put the {data.kind === 'stdio' ? 'command' : 'server'} <Said value={data.target} /> behind the gate as{' '}
        <Said value={data.name} />
      </>
    ),
  },
  'upstream.updated': {
    group: 'project',
    label: 'Server changed',
    says: (data) => (
      <>
        changed {data.address_changed === true ? 'where the server leads:' : 'the server'}{' '}
        <Said value={data.name} />
      </>
    ),
  },
  'upstream.removed': {
    group: 'project',
    label: 'Server removed',
    says: (data) => (
      <>
        removed the server <Said value={data.name} />
      </>
    ),
  },
  'upstream.tools_found': {
    group: 'project',
    label: 'Tools found',
    says: (data) => (
      <>
        found {count(data.count, 'tool', 'tools')} of <Said value={data.name} /> that nobody approved
      </>
    ),
  },
  'upstream.tools_changed': {
    group: 'project',
    label: 'Tools changed',
    says: (data) => (
      <>
        found {count(data.count, 'tool', 'tools')} of <Said value={data.name} /> changed, gone or returned
      </>
    ),
  },
  'upstream.tools_approved': {
    group: 'project',
    label: 'Tools approved',
    says: (data) => (
      <>
        approved {count(data.tools, 'tool', 'tools')} of <Said value={data.name} />
      </>
    ),
  },
  'upstream.tools_withdrawn': {
    group: 'project',
    label: 'Tools withdrawn',
    says: (data) => (
      <>
        withdrew {count(data.tools, 'tool', 'tools')} of <Said value={data.name} />
      </>
    ),
  },
} satisfies EventWords;
