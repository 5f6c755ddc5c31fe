/** Members, groups and invitations. */
import { count, type EventWords, Said } from './wording.tsx';

export const PEOPLE_WORDS = {
  'member.invited': {
    group: 'people',
    label: 'Invited',
    says: (data) => (
      <>
        invited <Said value={data.email} /> as {String(data.role)}
      </>
    ),
  },
  'invitation.revoked': {
    group: 'people',
    label: 'Invitation taken back',
    says: (data) => (
      <>
        took the invitation of <Said value={data.email} /> back
      </>
    ),
  },
  'member.added': {
    group: 'people',
    label: 'Joined',
    says: (data) => (
      <>
        made <Said value={data.email} /> a member, as {String(data.role)}
      </>
    ),
  },
  'member.updated': {
    group: 'people',
    label: 'Role changed',
    says: (data) => (
      <>
        changed the role of <Said value={data.email} /> from {String(data.previous_role)} to{' '}
        {String(data.role)}
      </>
    ),
  },
  'member.removed': {
    group: 'people',
    label: 'Left',
    says: (data, actorId) =>
      data.user_id === actorId ? (
        'left the project'
      ) : (
        <>
          took <Said value={data.email} /> out of the project
        </>
      ),
  },
  'group.updated': {
    group: 'people',
    label: 'Group changed',
    says: (data) => (
      <>
        {data.created === true ? 'made' : 'changed'} the group <Said value={data.name} />:{' '}
        {count(data.member_ids, 'member', 'members')}
      </>
    ),
  },
  'group.removed': {
    group: 'people',
    label: 'Group removed',
    says: (data) => (
      <>
        removed the group <Said value={data.name} />
      </>
    ),
  },
} satisfies EventWords;
