import { useEffect, useRef } from 'react';
import { useNavigate, useSearchParams } from 'react-router';
import { returnPath } from '../../app-shell/sign-in-path.ts';
import { LinkButton } from '../../ui/button.tsx';
import { Notice } from '../../ui/notice.tsx';

/** For whoever came here from a request that takes a passkey: back there by itself, as soon as there is one. */
export function BackToRequest({ passkeys }: { passkeys: number }) {
  const [search] = useSearchParams();
  const navigate = useNavigate();
  const before = useRef(passkeys);
  const asked = search.get('return_to');
  const target = asked === null ? null : returnPath(asked, window.location.origin);
  const isRequest = target?.startsWith('/approve/') === true;

  useEffect(() => {
    if (isRequest && passkeys > before.current) void navigate(target);
  }, [isRequest, passkeys, target, navigate]);

  if (!isRequest) return null;
  return (
    <Notice tone="info" title="A request waits for your passkey">
      <span>Add a passkey on this device, and you are taken back to the request.</span>
      <LinkButton size="s" to={target}>
        Back without one
      </LinkButton>
    </Notice>
  );
}
