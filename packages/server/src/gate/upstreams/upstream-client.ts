/** The port to the servers themselves: who can talk to one says what it found there. */
import type { FoundTool } from './read-definition.ts';
import type { Upstream, UpstreamServer } from './upstream.ts';

/** What somebody found who talked to a server. */
export type UpstreamPoll =
  | { kind: 'seen'; server: UpstreamServer; tools: readonly FoundTool[] }
  /** `error` is in words of ours, and holds nothing of what is sealed. */
  | { kind: 'failed'; error: string };

export interface UpstreamClient {
  /** Connects where there is no connection, and asks for all tools. Never throws for what a server does. */
  poll(upstream: Upstream): Promise<UpstreamPoll>;
  /** Lets the connection go, and ends what was started for it; of a server that was removed or changed. */
  drop(upstreamId: string): void;
}

/** Where nobody talks to servers of others. */
export const NO_UPSTREAM_CLIENT: UpstreamClient = {
  poll: async () => ({ kind: 'failed', error: 'This gate talks to no servers.' }),
  drop: () => {},
};
