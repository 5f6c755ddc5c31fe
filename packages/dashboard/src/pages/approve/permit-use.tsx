import type { ShownIntent } from '../../decide/check-hashes.ts';
import { nameOf } from '../../decide/sentences.ts';
import { InertText } from '../../inert-text/inert-text.tsx';
import { Notice } from '../../ui/notice.tsx';
import { useNow } from '../../ui/now.ts';
import { Countdown, RelativeTime } from '../../ui/time.tsx';
import { permit as words } from './ended.words.ts';

/** The state of an approval's permit: ready, used, expired or revoked. Kept up to date. */
export function PermitUse({ intent }: { intent: ShownIntent }) {
  const now = useNow();
  const { expires_at: ends, used_at: used, revoked_at: revoked } = intent.permit;
  if (revoked !== null && used === null) {
    return (
      <Notice tone="warn" title={words.revoked}>
        {words.revokedAt(<RelativeTime at={revoked} />)}
      </Notice>
    );
  }
  if (used !== null) return <Used intent={intent} at={used} />;
  if (ends !== null && Date.parse(ends) > now) {
    return (
      <Notice tone="good" title={words.ready}>
        {words.readyFor(<InertText text={nameOf(intent)} />, <Countdown until={ends} />)}
      </Notice>
    );
  }
  const mayRenew = Date.parse(intent.hashed.expires_at) > now;
  return (
    <Notice tone="info" title={words.expired}>
      {mayRenew ? words.renewable(<Countdown until={intent.hashed.expires_at} />) : words.nothingRuns}
    </Notice>
  );
}

function Used({ intent, at }: { intent: ShownIntent; at: string }) {
  return (
    <Notice tone={intent.outcome === 'failed' ? 'warn' : 'good'} title={words.used}>
      {words.usedAt(<RelativeTime at={at} />)}{' '}
      {intent.outcome === null ? words.noOutcome : words.outcome[intent.outcome]}
    </Notice>
  );
}
