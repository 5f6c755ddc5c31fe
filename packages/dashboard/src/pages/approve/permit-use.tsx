import { InertText } from '../../inert-text/inert-text.tsx';
import { Notice } from '../../ui/notice.tsx';
import { useNow } from '../../ui/now.ts';
import { Countdown, RelativeTime } from '../../ui/time.tsx';
import type { ShownIntent } from './check-hashes.ts';
import { nameOf } from './head.tsx';

/** What comes of an approval: waiting to be collected, used, run out, or taken back. Kept up to date. */
export function PermitUse({ intent }: { intent: ShownIntent }) {
  const now = useNow();
  const { expires_at: ends, used_at: used, revoked_at: revoked } = intent.permit;
  if (revoked !== null && used === null) {
    return (
      <Notice tone="warn" title="Taken back">
        <span>
          The approval was revoked <RelativeTime at={revoked} />; its permit does nothing any more.
        </span>
      </Notice>
    );
  }
  if (used !== null) return <Used intent={intent} at={used} />;
  if (ends !== null && Date.parse(ends) > now) {
    return (
      <Notice tone="good" title="Not used yet">
        <span>
          <InertText text={nameOf(intent)} /> collects the permit by itself and may use it once in the next{' '}
          <Countdown until={ends} />.
        </span>
      </Notice>
    );
  }
  const mayRenew = Date.parse(intent.hashed.expires_at) > now;
  return (
    <Notice tone="info" title="Not used, and the permit ran out">
      {mayRenew ? (
        <span>
          The requester can still collect a fresh one for the same approval until{' '}
          <Countdown until={intent.hashed.expires_at} /> from now.
        </span>
      ) : (
        'Nothing will run any more.'
      )}
    </Notice>
  );
}

function Used({ intent, at }: { intent: ShownIntent; at: string }) {
  const outcome = {
    succeeded: 'It reported success.',
    failed: 'It reported that it failed.',
    unknown: 'It could not tell whether it succeeded.',
  };
  return (
    <Notice tone={intent.outcome === 'failed' ? 'warn' : 'good'} title="Used">
      <span>
        The permit was used <RelativeTime at={at} />, once.{' '}
        {intent.outcome === null ? 'No outcome was reported yet.' : outcome[intent.outcome]}
      </span>
    </Notice>
  );
}
