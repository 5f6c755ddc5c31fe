/**
 * The port to the tools behind the gateway: which there are, and how one is run. It decides nothing: whether a tool may
 * be run was decided before, by policy or people, for exactly these arguments.
 */

import type { JsonObject, RiskTier } from '@permitry/protocol';
import type { Instant } from '../kernel/instant.ts';
import type { MockRecordWriter } from './mock-record.ts';

/** A tool as agents and approvers are shown it. */
export interface Tool {
  /** Also the action of its intents; unique in a project. */
  name: string;
  title: string;
  description: string;
  /** The connector it belongs to, or the upstream server. */
  connector: string;
  /** The least risk tier of its intents. */
  riskTier: RiskTier;
  /** JSON Schema 2020-12 of its arguments. */
  inputSchema: JsonObject;
  outputSchema: JsonObject | null;
  /** As in MCP, e.g. `{ destructiveHint: true }`. */
  annotations: JsonObject;
  /** What its results are: plain JSON, or a `CallToolResult` of MCP. */
  resultForm: 'json' | 'mcp';
}

/** By RFC 5424, as MCP names them. */
export type LogLevel = 'debug' | 'info' | 'notice' | 'warning' | 'error' | 'critical' | 'alert' | 'emergency';

/**
 * A line to whoever asked for a call, as long as they hold it. Nothing is decided over it, and what was approved are the
 * arguments.
 */
export interface CallerLine {
  /** How far the tool is, as MCP's progress tells it. */
  progress(update: { progress: number; total?: number; message?: string }): void;
  /** For the log that the caller's client may show, if it wants to hear of that level. */
  log(update: { level: LogLevel; data: string }): void;
  /**
   * Asks the caller's client in MCP's words. Undefined when it cannot be asked so, does not answer, or is gone.
   */
  ask(
    method: 'elicitation/create' | 'sampling/createMessage',
    params: JsonObject,
  ): Promise<JsonObject | undefined>;
}

/** One run of a tool that was approved and whose approval was used for it. */
export interface ToolCall {
  projectId: string;
  /** Unique: a tool that is told of it can see to it that nothing is done twice. */
  intentId: string;
  /** `crq_…`. */
  requestId: string;
  tool: Tool;
  arguments: JsonObject;
  /** Aborts when the gate stops: what cannot be awaited any more is `unknown`. */
  signal: AbortSignal;
  /** Left out: whoever asked cannot be reached while it runs. */
  line?: CallerLine | undefined;
}

export type ToolResult =
  | { kind: 'succeeded'; result: JsonObject }
  /** The tool says itself that it did not do it. `result` as the tool gave it, if it gave one. */
  | { kind: 'failed'; message: string; result: JsonObject | null }
  /** Certain: nothing of the call left the gate. `message` says why, in words of ours. */
  | { kind: 'not_sent'; message: string }
  /** Nobody knows whether it was done. */
  | { kind: 'unknown'; message: string };

/**
 * What a call of a tool comes to that does nothing but write in the gate's own database: it is written in the
 * transaction of the permit's use. Either all of it was done or nothing, so it is never `executing`, nor `unknown`.
 */
export interface OwnWork {
  result: Exclude<ToolResult, { kind: 'unknown' | 'not_sent' }>;
  write(tx: MockRecordWriter): Promise<void>;
}

export interface Connectors {
  /** What the project's agents may ask for, by name. */
  list(projectId: string): Promise<readonly Tool[]>;
  /** Undefined for a tool that is not offered, or not at the moment. */
  find(projectId: string, name: string): Promise<Tool | undefined>;
  /** Undefined for a tool that does more than write in the gate's database: it is `run`. Pure. */
  findOwnWork?(call: Omit<ToolCall, 'signal' | 'line'>, now: Instant): OwnWork | undefined;
  /**
   * Why a call of this tool could not be sent now, in words of ours; undefined: nothing is known against it. Asked before
   * an approval is used, which one that is sent to nobody should not cost. What takes longer goes on after `waitMs`.
   */
  findOutage?(at: { projectId: string; tool: Tool }, waitMs: number): Promise<string | undefined>;
  /** Once: never tries again by itself, and never throws for what a tool does. */
  run(call: ToolCall): Promise<ToolResult>;
}
