/** Describes MCP servers and their tools for a terminal. */
import type { Static, UpstreamSchema, UpstreamToolSchema } from '@permitry/protocol/schemas';
import type { UpstreamSettings } from '@permitry/server/operator';
import { sayVisibly, shortTime } from '../printing/say.ts';

export type Upstream = Static<typeof UpstreamSchema>;
export type UpstreamTool = Static<typeof UpstreamToolSchema>;

/**
 * Writes everything that a server says about its tools to stderr, where the question about them follows. The server's
 * descriptions are indented, so that none of their lines looks like one of ours.
 */
export async function showFound(upstream: Upstream, shown: readonly UpstreamTool[]): Promise<void> {
  const { riskTierOf } = await import('@permitry/server/operator');
  const { sayOddWords } = await import('../printing/say-odd-words.ts');
  for (const tool of shown) {
    const { name, state, found, pinned } = tool;
    if (!found) continue;
    const { description, inputSchema, outputSchema, annotations, title } = found.content;
    const lines = [
      `${upstream.name}.${name}  ${state === 'changed' ? 'CHANGED since it was approved' : state}  ${found.hash}`,
      ...(typeof title === 'string' ? [`  title: ${title}`] : []),
      ...(typeof description === 'string' ? description.split('\n').map((line) => `  | ${line}`) : []),
      `  arguments: ${JSON.stringify(inputSchema)}`,
      ...(outputSchema === undefined ? [] : [`  results: ${JSON.stringify(outputSchema)}`]),
      ...(annotations === undefined ? [] : [`  hints: ${JSON.stringify(annotations)}`]),
      `  risk: ${riskTierOf({ riskTier: upstream.risk_tier }, { riskTier: tool.risk_tier_set }, found)}`,
      ...(state === 'changed' && pinned ? [`  approved definition: ${JSON.stringify(pinned.content)}`] : []),
    ];
    const warnings = sayOddWords([name, found.content]).map((warning) => `  ${warning}`);
    process.stderr.write(`${[...lines.map(sayVisibly), ...warnings].join('\n')}\n\n`);
  }
}

/** Writes to stderr which tools cannot be enabled, and why. */
export function showObstacles({ name: server }: Upstream, tools: readonly UpstreamTool[]): void {
  for (const { name, obstacle } of tools) {
    if (obstacle !== null)
      process.stderr.write(`${sayVisibly(`${server}.${name}  cannot be enabled: ${obstacle}`)}\n\n`);
  }
}

export function withoutSecrets(settings: UpstreamSettings | undefined): object {
  if (!settings) return {};
  if (settings.kind === 'http') return { url: settings.url };
  const { command, args, cwd } = settings;
  return { command, args, cwd };
}

export function sayReached(settings: UpstreamSettings | undefined): [string, string][] {
  if (!settings) return [['reached', 'unknown: its encryption key is missing']];
  if (settings.kind === 'http') return [['address', settings.url]];
  return [
    ['command', [settings.command, ...settings.args].join(' ')],
    ['runs in', settings.cwd],
  ];
}

export function sayState({ error, failing_since: failingSince, looked_at: polledAt }: Upstream): string {
  if (error !== null && failingSince !== null)
    return `unreachable since ${shortTime(failingSince)}: ${error}`;
  return polledAt === null ? 'never connected' : `last seen ${shortTime(polledAt)}`;
}

export function firstLine(definition: UpstreamTool['found']): string {
  const description = definition?.content.description;
  return typeof description === 'string' ? (description.split('\n')[0] ?? '') : '';
}
