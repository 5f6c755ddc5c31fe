/**
 * The port to the tools behind the gateway: lists them and runs one. The port decides nothing. Policy or people have
 * decided before, for exactly these arguments.
 */

import type { JsonObject, RiskTier } from '@permitry/protocol';
import type { Instant } from '../kernel/instant.ts';
import type { MockRecordWriter } from './mock-record.ts';

/** A tool as shown to agents and approvers. */
export interface Tool {
  /** Also the action of its intents. Unique in a project. */
  name: string;
  title: string;
  description: string;
  /** The connector or MCP server that the tool belongs to. */
  connector: string;
  /** The lowest risk tier that its intents may have. */
  riskTier: RiskTier;
  /** JSON Schema 2020-12 of its arguments. */
  inputSchema: JsonObject;
  outputSchema: JsonObject | null;
  /** As in MCP, e.g. `{ destructiveHint: true }`. */
  annotations: JsonObject;
  /** The form of the tool's results: plain JSON, or a `CallToolResult` of MCP. */
  resultForm: 'json' | 'mcp';
}

/** The levels of RFC 5424, under MCP's names. */
export type LogLevel = 'debug' | 'info' | 'notice' | 'warning' | 'error' | 'critical' | 'alert' | 'emergency';

/**
 * A connection to the requester while the requester waits for the call. It decides nothing and cannot change the
 * approved arguments.
 */
export interface CallerLine {
  /** Reports progress, as in MCP. */
  progress(update: { progress: number; total?: number; message?: string }): void;
  /** Writes to the log of the client, if the client wants that level. */
  log(update: { level: LogLevel; data: string }): void;
  /**
   * Asks the client in MCP's terms. Resolves to undefined if the client does not support the question, does not answer,
   * or is gone.
   */
  ask(
    method: 'elicitation/create' | 'sampling/createMessage',
    params: JsonObject,
  ): Promise<JsonObject | undefined>;
}

/** One run of a tool, after its approval was used. */
export interface ToolCall {
  projectId: string;
  /** Unique for each approved call, so that a tool that receives it can avoid doing anything twice. */
  intentId: string;
  /** `crq_…`. */
  requestId: string;
  tool: Tool;
  arguments: JsonObject;
  /** Aborts when the gate stops. A result that does not arrive by then is `unknown`. */
  signal: AbortSignal;
  /** Omitted if the requester cannot be reached during the run. */
  line?: CallerLine | undefined;
}

export type ToolResult =
  | { kind: 'succeeded'; result: JsonObject }
  /** The tool reports that it did not do the work. `result` is what the tool returned, if anything. */
  | { kind: 'failed'; message: string; result: JsonObject | null }
  /** The gate is certain that it sent nothing of the call. `message` gives the reason in the gate's own words. */
  | { kind: 'not_sent'; message: string }
  /** The gate does not know whether the tool did the work. */
  | { kind: 'unknown'; message: string };

/**
 * A call that only writes in the gate's own database, in the transaction of the permit's use. Either all of it is done
 * or nothing, so the call is never `executing` or `unknown`.
 */
export interface OwnWork {
  result: Exclude<ToolResult, { kind: 'unknown' | 'not_sent' }>;
  write(tx: MockRecordWriter): Promise<void>;
}

export interface Connectors {
  /** The tools that the project's agents may request, by name. */
  list(projectId: string): Promise<readonly Tool[]>;
  /** Undefined for a tool that is not offered, or not available at the moment. */
  find(projectId: string, name: string): Promise<Tool | undefined>;
  /**
   * The work of a tool that only writes in the gate's database. Undefined for any other tool, which `run` runs. Pure.
   */
  findOwnWork?(call: Omit<ToolCall, 'signal' | 'line'>, now: Instant): OwnWork | undefined;
  /**
   * Why this tool could not be called now, in the gate's own words. Undefined if no reason is known. Called before an
   * approval is used, so that an unreachable server costs no approval. A check that takes longer than `waitMs`
   * continues in the background.
   */
  findOutage?(at: { projectId: string; tool: Tool }, waitMs: number): Promise<string | undefined>;
  /** Runs the call once. Never retries by itself, and never throws for what a tool does. */
  run(call: ToolCall): Promise<ToolResult>;
}
