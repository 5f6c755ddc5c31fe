import { Badge } from '../../../ui/badge.tsx';
import type { Upstream, UpstreamTool } from './queries.ts';

const TOOL_WORDS = { new: 'new', approved: 'offered', changed: 'changed', gone: 'gone' } as const;
const TOOL_TONES = { new: 'info', approved: 'good', changed: 'warn', gone: 'neutral' } as const;

export function ToolState({ tool }: { tool: UpstreamTool }) {
  if (tool.obstacle !== null) return <Badge tone="bad">cannot be offered</Badge>;
  return <Badge tone={TOOL_TONES[tool.state]}>{TOOL_WORDS[tool.state]}</Badge>;
}

export function UpstreamState({ upstream }: { upstream: Upstream }) {
  if (upstream.failing_since !== null) return <Badge tone="bad">cannot be reached</Badge>;
  if (upstream.looked_at === null) return <Badge tone="neutral">not asked yet</Badge>;
  return <Badge tone="good">reached</Badge>;
}
