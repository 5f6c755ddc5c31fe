import { Badge } from '../../../../ui/badge.tsx';
import type { Effect } from '../document/policy-document.ts';
import * as words from '../policy.words.ts';

const BADGES = {
  allow: ['good', 'check'],
  require_approval: ['info', 'member'],
  deny: ['bad', 'close'],
} as const;

export function EffectBadge({ effect }: { effect: Effect }) {
  const [tone, icon] = BADGES[effect];
  return (
    <Badge tone={tone} icon={icon}>
      {words.effects[effect]}
    </Badge>
  );
}
