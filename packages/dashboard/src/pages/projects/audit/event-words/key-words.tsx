/** Keys of programs, and those that sign. */
import type { ReactNode } from 'react';
import { type Data, type EventWords, Said } from './wording.tsx';

export const KEY_WORDS = {
  'key.created': { group: 'keys', label: 'Key made', says: (data) => key('made', data) },
  'key.revoked': { group: 'keys', label: 'Key revoked', says: (data) => key('revoked', data) },
  'signing_key.rotated': {
    group: 'keys',
    label: 'Signing key rotated',
    says: (data) => (
      <>
        let the signing key <code>{String(data.kid)}</code> take over
      </>
    ),
  },
  'signing_key.compromised': {
    group: 'keys',
    label: 'Signing key withdrawn',
    says: (data) => (
      <>
        withdrew the signing key <code>{String(data.kid)}</code> as compromised
      </>
    ),
  },
} satisfies EventWords;

function key(done: string, data: Data): ReactNode {
  const kind =
    { user: 'user token', verify: 'verifier key' }[String(data.kind)] ?? `${String(data.kind)} key`;
  return (
    <>
      {done} the {kind} <Said value={data.name} /> <code>…{String(data.hint)}</code>
      {typeof data.reason === 'string' && ` (${data.reason})`}
    </>
  );
}
