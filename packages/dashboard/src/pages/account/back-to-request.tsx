import { returnPath } from '@permitry/protocol';
import { useEffect, useRef } from 'react';
import { useNavigate, useSearchParams } from 'react-router';
import { LinkButton } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';
import * as words from './security.words.ts';

/** The pages that send people here, the texts for each, and the condition for going back. */
const ERRANDS = [
  {
    from: '/approve/',
    ...words.forRequest,
    isDone: (now: Means, before: Means) => now.passkeys > before.passkeys,
  },
  {
    from: '/connect',
    ...words.forProgram,
    isDone: (now: Means) => now.hasPassword || now.passkeys > 0,
  },
] as const;

interface Means {
  passkeys: number;
  hasPassword: boolean;
}

/** For people who came here to add a passkey or a password. Sends them back as soon as they have one. */
export function BackToRequest({ passkeys, hasPassword }: Means) {
  const [search] = useSearchParams();
  const navigate = useNavigate();
  const before = useRef({ passkeys, hasPassword });
  const asked = search.get('return_to');
  const target = asked === null ? null : returnPath(asked, window.location.origin);
  const errand = ERRANDS.find(({ from }) => target?.startsWith(from));
  const isDone = errand?.isDone({ passkeys, hasPassword }, before.current) === true;

  useEffect(() => {
    if (isDone && target !== null) void navigate(target);
  }, [isDone, target, navigate]);

  if (!errand || target === null) return null;
  return (
    <Notice tone="info" title={errand.title}>
      <span>{errand.text}</span>{' '}
      <LinkButton size="s" to={target}>
        {errand.back}
      </LinkButton>
    </Notice>
  );
}
