/**
 * Owns MCP servers of others that stand behind the gate, and what was approved of their tools. What such a server says of a
 * tool is pinned by its hash when somebody approves it; agents are shown what was pinned, and nothing else ever runs.
 */
import type { JsonObject, RiskTier } from '@permitry/protocol';
import type { Instant } from '../kernel/instant.ts';

/** `stdio`: a command on the gate's own machine, which only its operator may name. */
type UpstreamKind = 'http' | 'stdio';

/** How it is reached. Values of headers and of the environment are secrets, an address or an argument may be one. */
export type UpstreamSettings =
  | { kind: 'http'; url: string; headers: Readonly<Record<string, string>> }
  | {
      kind: 'stdio';
      command: string;
      args: readonly string[];
      env: Readonly<Record<string, string>>;
      /** Absolute. */
      cwd: string;
    };

/** What the server says of itself. Inert, and believed in nothing. */
export interface UpstreamServer {
  name: string;
  version: string;
  /** Revision of the protocol that was agreed on, e.g. `2025-11-25`. */
  protocol: string;
}

export interface Upstream {
  /** `ups_…`. */
  id: string;
  projectId: string;
  /** Its tools are called `<name>.<tool>`. */
  name: string;
  kind: UpstreamKind;
  /** Host of the address, or the command's name: what may be shown to whoever may read. */
  target: string;
  /** Names of the headers or variables whose values are sealed. */
  secretNames: readonly string[];
  /** `UpstreamSettings`, sealed. */
  sealedSettings: string;
  /** Of tools of which nobody said otherwise; hints of the server's only raise it. */
  riskTier: RiskTier;
  /** How long one call may take. */
  timeoutSeconds: number;
  /** Grows with every change of how it is reached: a connection made by an older one is dropped. */
  version: number;
  createdAt: Instant;
  updatedAt: Instant;
  /** Null: nobody could talk to it yet. */
  server: UpstreamServer | null;
  /** When its tools were last seen; to some minutes. */
  polledAt: Instant | null;
  /** Since when it cannot be talked to; null: the last look went well, or there was none. */
  failingSince: Instant | null;
  /** In words of ours. */
  error: string | null;
}

/**
 * `new`: nobody approved it. `changed`: it is another than was approved; also when it came back to what it was, for that
 * is for a person to see. `gone`: it was approved and is not there just now. Only `approved` ones are offered.
 */
type UpstreamToolState = 'new' | 'approved' | 'changed' | 'gone';

/** One tool as a server described it. */
export interface ToolDefinition {
  /** `name`, `title`, `description`, `inputSchema`, `outputSchema`, `annotations`, as far as there are any. */
  content: JsonObject;
  /** "sha256:…" over the canonical form of `content`. */
  hash: string;
}

export interface UpstreamTool {
  projectId: string;
  upstreamId: string;
  /** As the server calls it. */
  name: string;
  state: UpstreamToolState;
  /** Why nobody can approve it as it is now; null: it can be approved. */
  obstacle: string | null;
  /** As it was last seen; null: it is not there, or cannot be kept. */
  found: ToolDefinition | null;
  /** As it was approved, and is shown to agents. */
  pinned: ToolDefinition | null;
  /** As somebody set it; null: as the server's tools have it. */
  riskTier: RiskTier | null;
  /** When it was first seen. */
  foundAt: Instant;
  /** When state or `found` last changed. */
  changedAt: Instant;
  approvedAt: Instant | null;
}

export interface OfferedUpstreamTool {
  upstream: Upstream;
  tool: UpstreamTool & { pinned: ToolDefinition };
}

export interface UpstreamReader {
  findUpstream(projectId: string, upstreamId: string): Promise<Upstream | undefined>;
  findUpstreamByName(projectId: string, name: string): Promise<Upstream | undefined>;
  /** Newest first; a project has few. */
  listUpstreams(projectId: string): Promise<readonly Upstream[]>;
  /** By name; a server has at most some hundred. */
  listUpstreamTools(upstreamId: string): Promise<readonly UpstreamTool[]>;
  findUpstreamTool(upstreamId: string, name: string): Promise<UpstreamTool | undefined>;
  /** Those in state `approved` of all servers of the project, by server and name. */
  listOfferedTools(projectId: string): Promise<readonly OfferedUpstreamTool[]>;
  /** For metrics: servers that there are, that cannot be talked to, and tools that wait for somebody. */
  measureUpstreams(): Promise<{ upstreams: number; failing: number; toolsToApprove: number }>;
}

export interface UpstreamWriter {
  insertUpstream(upstream: Upstream): Promise<void>;
  /** How it is reached, tiers and times. Guard: nobody changed it since it was read as `knownVersion`. */
  updateUpstream(upstream: Upstream, knownVersion: number): Promise<boolean>;
  /** It could be talked to. Guard: it is still reached as by `version`. */
  noteUpstreamSeen(
    upstreamId: string,
    version: number,
    server: UpstreamServer,
    at: Instant,
  ): Promise<boolean>;
  /** It could not. The first of a row says since when. Guard as above. */
  noteUpstreamFailure(upstreamId: string, version: number, error: string, at: Instant): Promise<boolean>;
  /** It is seen no more, holds no secret, and its tools are gone with it. */
  deleteUpstream(upstreamId: string, at: Instant): Promise<boolean>;
  /** In the place of the one of that name, if there is one. */
  putUpstreamTool(tool: UpstreamTool): Promise<void>;
  deleteUpstreamTool(upstreamId: string, name: string): Promise<void>;
}
