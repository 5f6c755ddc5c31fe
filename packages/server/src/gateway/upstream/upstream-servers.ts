/**
 * Owns this gate's connections to MCP servers, and runs their tools. Approvals of tools are stored in the database.
 * This module only checks whether a server still offers the approved tools unchanged. It checks before each call, after
 * a change notification, and every minute while the server is in use. A change that one gate finds applies to all
 * gates.
 */

import type { Connectors, Tool, ToolCall, ToolResult } from '../../gate/tools/connectors.ts';
import { toolHash } from '../../gate/tools/tool-hash.ts';
import { toOfferedTool } from '../../gate/upstreams/offered-tool.ts';
import type { ToolDefinition, Upstream, UpstreamTool } from '../../gate/upstreams/upstream.ts';
import type { UpstreamClient, UpstreamPoll } from '../../gate/upstreams/upstream-client.ts';
import type { UpstreamDeps } from '../../gate/upstreams/upstream-deps.ts';
import { ConnectionPool, type ConnectionPoolOptions } from './connection-pool.ts';
import { relayProgress } from './relay-progress.ts';
import type { UpstreamConnection } from './upstream-connection.ts';

/** Concurrent calls to one server. Each call may take as long as its timeout. */
const MOST_CALLS = 64;

export class UpstreamServers implements UpstreamClient, Connectors {
  readonly #pool: ConnectionPool;
  /** This gate's calls since its start, by result. */
  readonly calls = { succeeded: 0, failed: 0, unknown: 0, not_sent: 0 };
  /** One object for each pinned definition, because the hash of a definition is cached by object. */
  readonly #tools = new Map<string, { of: readonly unknown[]; tool: Tool }>();

  constructor(options: ConnectionPoolOptions) {
    this.#pool = new ConnectionPool(options);
  }

  /** Sets the gate that stores the results of all checks, whichever request caused them. */
  attach(gate: UpstreamDeps): void {
    this.#pool.attach(gate);
  }

  get openConnections(): number {
    return this.#pool.open;
  }

  /** This gate's checks of servers since its start. */
  get polls() {
    return this.#pool.counts;
  }

  async list(projectId: string): Promise<readonly Tool[]> {
    const offered = await this.#pool.stored.listOfferedTools(projectId);
    return offered.map(({ upstream, tool }) => this.#toTool(upstream, tool));
  }

  async find(projectId: string, name: string): Promise<Tool | undefined> {
    const offered = await this.#findOffered(projectId, name);
    return offered && this.#toTool(offered.upstream, offered.tool);
  }

  async run(call: ToolCall): Promise<ToolResult> {
    const result = await this.#run(call);
    this.calls[result.kind] += 1;
    return result;
  }

  /** Connects if needed. A check that takes longer than `waitMs` continues for the next caller. */
  async findOutage(
    { projectId, tool }: { projectId: string; tool: Tool },
    waitMs: number,
  ): Promise<string | undefined> {
    const offered = await this.#findOffered(projectId, tool.name);
    // The caller checks afterwards whether the tool is still offered.
    if (!offered) return undefined;
    const pooled = await this.#pool.connect(offered.upstream);
    if (!pooled) return UNREADABLE;
    if (pooled.calls >= MOST_CALLS) return BUSY;
    pooled.usedAt = performance.now();
    const poll = await within(this.#pool.pollBefore(pooled), waitMs);
    if (poll === LATE) return 'It has not answered yet.';
    return poll?.kind === 'failed' ? poll.error : undefined;
  }

  async poll(upstream: Upstream): Promise<UpstreamPoll> {
    const pooled = await this.#pool.connect(upstream);
    if (!pooled) return { kind: 'failed', error: UNREADABLE };
    return this.#pool.poll(pooled, { insists: true });
  }

  drop(upstreamId: string): void {
    this.#pool.drop(upstreamId);
  }

  /** Ends all connections, and the processes started for them. */
  close(): Promise<void> {
    return this.#pool.close();
  }

  async #findOffered(projectId: string, name: string): Promise<Offered | undefined> {
    const { stored } = this.#pool;
    const dot = name.indexOf('.');
    if (dot < 1) return undefined;
    const upstream = await stored.findUpstreamByName(projectId, name.slice(0, dot));
    const tool = upstream && (await stored.findUpstreamTool(upstream.id, name.slice(dot + 1)));
    if (!upstream || tool?.state !== 'approved' || tool.pinned === null) return undefined;
    return { upstream, tool: { ...tool, pinned: tool.pinned } };
  }

  async #run(call: ToolCall): Promise<ToolResult> {
    const { projectId, tool } = call;
    const offered = await this.#findOffered(projectId, tool.name);
    const pooled = offered && (await this.#pool.connect(offered.upstream));
    if (!offered) return withdrawn();
    if (!pooled) return notSent(UNREADABLE);
    if (pooled.calls >= MOST_CALLS) return notSent(BUSY);
    pooled.calls += 1;
    pooled.usedAt = performance.now();
    try {
      const poll = await this.#pool.pollBefore(pooled);
      if (poll?.kind === 'failed') return notSent(poll.error);
      // Reads the tool again, because a check by this or another gate may have stored a change.
      const current = await this.#findOffered(projectId, tool.name);
      if (!current || current.upstream.version !== offered.upstream.version) return withdrawn();
      if (toolHash(this.#toTool(current.upstream, current.tool)) !== toolHash(tool)) return withdrawn();
      if (call.signal.aborted) return notSent('The gate is stopping.');
      return await this.#call(pooled.connection, current, call);
    } finally {
      pooled.calls -= 1;
      pooled.usedAt = performance.now();
    }
  }

  async #call(
    connection: UpstreamConnection,
    { upstream, tool: { pinned } }: Offered,
    call: ToolCall,
  ): Promise<ToolResult> {
    const timeoutMs = Math.min(upstream.timeoutSeconds * 1000, this.#pool.patience.callMs);
    const { signal, line } = call;
    const onProgress = line && relayProgress(line);
    const answer = await connection.call(pinned, call.arguments, { signal, timeoutMs, onProgress });
    if (answer.kind === 'failed') return { kind: 'failed', message: answer.message, result: null };
    if (answer.kind !== 'answered') return { kind: answer.kind, message: answer.message };
    const { result, isError } = answer;
    return isError
      ? { kind: 'failed', message: 'The tool says that it failed.', result }
      : { kind: 'succeeded', result };
  }

  #toTool(upstream: Upstream, tool: Parameters<typeof toOfferedTool>[0]['tool']): Tool {
    const key = `${upstream.id} ${tool.name}`;
    const of = [upstream.name, upstream.riskTier, tool.pinned.hash, tool.riskTier];
    const known = this.#tools.get(key);
    if (known && String(known.of) === String(of)) return known.tool;
    const made = toOfferedTool({ upstream, tool });
    if (this.#tools.size >= MOST_KEPT_TOOLS) this.#tools.clear();
    this.#tools.set(key, { of, tool: made });
    return made;
  }
}

const MOST_KEPT_TOOLS = 2000;

const UNREADABLE = 'Its connection settings can no longer be read; register it again.';
const BUSY = 'It already has the maximum number of calls at a time.';

function withdrawn(): ToolResult {
  return {
    kind: 'not_sent',
    message: 'Nothing was sent: the tool has changed since it was approved and needs review.',
  };
}

function notSent(why: string): ToolResult {
  return { kind: 'not_sent', message: `Nothing was sent to the server: ${why}` };
}

const LATE = Symbol('late');

async function within<T>(work: Promise<T>, ms: number): Promise<T | typeof LATE> {
  const late = Promise.withResolvers<typeof LATE>();
  const timer = setTimeout(() => late.resolve(LATE), ms);
  // Prevents an unhandled rejection if the work fails after the wait.
  work.catch(() => undefined);
  return Promise.race([work, late.promise]).finally(() => clearTimeout(timer));
}

interface Offered {
  upstream: Upstream;
  tool: UpstreamTool & { pinned: ToolDefinition };
}
