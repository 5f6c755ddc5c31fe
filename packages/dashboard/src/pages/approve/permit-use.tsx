import type { ShownIntent } from '../../decide/check-hashes.ts';
import { nameOf } from '../../decide/sentences.ts';
import { InertText } from '../../inert-text/inert-text.tsx';
import { Notice } from '../../ui/notice.tsx';
import { useNow } from '../../ui/now.ts';
import { Countdown, RelativeTime } from '../../ui/time.tsx';

/** The state of an approval's permit: ready, used, expired or revoked. Kept up to date. */
export function PermitUse({ intent }: { intent: ShownIntent }) {
  const now = useNow();
  const { expires_at: ends, used_at: used, revoked_at: revoked } = intent.permit;
  if (revoked !== null && used === null) {
    return (
      <Notice tone="warn" title="Revoked">
        The approval was revoked <RelativeTime at={revoked} />. Its permit is refused.
      </Notice>
    );
  }
  if (used !== null) return <Used intent={intent} at={used} />;
  if (ends !== null && Date.parse(ends) > now) {
    return (
      <Notice tone="good" title="Not used yet">
        Permit ready for <InertText text={nameOf(intent)} /> · expires in <Countdown until={ends} />
      </Notice>
    );
  }
  const mayRenew = Date.parse(intent.hashed.expires_at) > now;
  return (
    <Notice tone="info" title="Permit expired unused">
      {mayRenew ? (
        <>
          The requester can still get a new permit for the same approval. Time left:{' '}
          <Countdown until={intent.hashed.expires_at} />
        </>
      ) : (
        'Nothing will run.'
      )}
    </Notice>
  );
}

function Used({ intent, at }: { intent: ShownIntent; at: string }) {
  const outcome = {
    succeeded: 'It reported success.',
    failed: 'It reported that it failed.',
    unknown: 'It reported that the outcome is unknown.',
  };
  return (
    <Notice tone={intent.outcome === 'failed' ? 'warn' : 'good'} title="Used">
      The permit was used <RelativeTime at={at} />, once.{' '}
      {intent.outcome === null ? 'No outcome was reported yet.' : outcome[intent.outcome]}
    </Notice>
  );
}
