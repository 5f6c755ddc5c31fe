/** The port to the MCP servers themselves: an implementation connects to a server and reports what it found. */
import type { FoundTool } from './read-definition.ts';
import type { Upstream, UpstreamServer } from './upstream.ts';

/** The result of one check of a server. */
export type UpstreamPoll =
  | { kind: 'seen'; server: UpstreamServer; tools: readonly FoundTool[] }
  /** `error` is in the gate's own words and contains no sealed value. */
  | { kind: 'failed'; error: string };

export interface UpstreamClient {
  /** Connects if needed and lists all tools. Never throws for what a server does. */
  poll(upstream: Upstream): Promise<UpstreamPoll>;
  /** Closes the connection of a server that was removed or changed, and ends the processes started for it. */
  drop(upstreamId: string): void;
}

/** The client of a gate that connects to no MCP servers. */
export const NO_UPSTREAM_CLIENT: UpstreamClient = {
  poll: async () => ({ kind: 'failed', error: 'This gate connects to no MCP servers.' }),
  drop: () => {},
};
