import { Badge } from '../../../ui/badge.tsx';
import type { Upstream, UpstreamTool } from './queries.ts';
import * as words from './tools.words.ts';

const TOOL_TONES = { new: 'info', approved: 'good', changed: 'warn', gone: 'neutral' } as const;

export function ToolState({ tool }: { tool: UpstreamTool }) {
  if (tool.obstacle !== null) return <Badge tone="bad">{words.cannotBeUsed}</Badge>;
  return <Badge tone={TOOL_TONES[tool.state]}>{words.toolStates[tool.state]}</Badge>;
}

export function UpstreamState({ upstream }: { upstream: Upstream }) {
  if (upstream.failing_since !== null) return <Badge tone="bad">{words.serverStates.unreachable}</Badge>;
  if (upstream.looked_at === null) return <Badge tone="neutral">{words.serverStates.notChecked}</Badge>;
  return <Badge tone="good">{words.serverStates.reachable}</Badge>;
}
