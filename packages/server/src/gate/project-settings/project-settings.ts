import type { ProjectMode } from '@permitry/protocol';
import type { Agent, AgentReader } from '../agents/agent.ts';
import { People } from '../approvals/people.ts';
import type { Instant } from '../kernel/instant.ts';
import { unknownProject } from '../kernel/not-found.ts';
import { type CompiledPolicy, parsePolicy } from '../policy/policy.ts';
import type { ProjectReader } from '../projects/project.ts';

/** Everything about a project that a decision needs and that rarely changes. All of it belongs to one revision. */
export interface ProjectSettings {
  readonly projectId: string;
  readonly name: string;
  readonly mode: ProjectMode;
  readonly revision: number;
  readonly stoppedAt: Instant | null;
  readonly policy: CompiledPolicy;
  readonly people: People;
  readonly agents: KnownAgents;
}

/**
 * Settings by project, cached while the project's revision stays the same.
 *
 * Every request reads the revision again (with the credential, or in the transaction that writes). So a pause, a stop,
 * a removed member or a new policy takes effect on the next call. The cache only saves reading and compiling.
 */
export class ProjectSettingsCache {
  readonly #reader: AgentReader & ProjectReader;
  readonly #onRevision: () => Promise<void>;
  readonly #kept = new Map<string, ProjectSettings>();

  /**
   * @param reader Sees only committed data: settings that were never committed must not be cached for a revision.
   * @param onRevision Awaited before settings of another revision are returned, so that the gate reads its keys again.
   * A withdrawn signing key raises the revision of every project, but the settings contain no keys.
   */
  constructor(reader: AgentReader & ProjectReader, onRevision: () => Promise<void> = async () => {}) {
    this.#reader = reader;
    this.#onRevision = onRevision;
  }

  /** Call it after the database lost its latest changes: it may give the same revision to different content. */
  forget(): void {
    this.#kept.clear();
  }

  /** Settings of a revision that the caller has just read, if they are in memory. */
  kept(projectId: string, revision: number): ProjectSettings | undefined {
    const kept = this.#kept.get(projectId);
    return kept?.revision === revision ? kept : undefined;
  }

  /** The current settings. Throws `project_not_found`. */
  async current(projectId: string): Promise<ProjectSettings> {
    const reader = this.#reader;
    const project = await reader.findProject(projectId);
    if (!project) throw unknownProject();
    const kept = this.kept(projectId, project.revision);
    if (kept) return kept;

    await this.#onRevision();
    const stored = await reader.findPolicy(projectId);
    if (!stored) throw new Error(`project ${projectId} has no policy`);
    const parsed = parsePolicy(stored.document);
    // A stored document parsed when it was saved. A document that no longer parses must stop the project, not open it.
    if (!parsed.ok) throw new Error(`the active policy of project ${projectId} does not parse`);
    const settings: ProjectSettings = {
      projectId,
      name: project.name,
      mode: project.mode,
      revision: project.revision,
      stoppedAt: project.stoppedAt,
      policy: parsed.policy,
      people: new People(await reader.listMembers(projectId), await reader.listGroups(projectId)),
      agents: new KnownAgents(reader, projectId, project.revision),
    };
    // Caches settings only if all their parts were read under one revision.
    if ((await reader.findProject(projectId))?.revision === project.revision)
      this.#kept.set(projectId, settings);
    return settings;
  }
}

/** The project's agents at one revision of its settings. Each is read when first needed. */
class KnownAgents {
  readonly #reader: AgentReader & ProjectReader;
  readonly #projectId: string;
  readonly #revision: number;
  readonly #known = new Map<string, Agent | null>();

  constructor(reader: AgentReader & ProjectReader, projectId: string, revision: number) {
    this.#reader = reader;
    this.#projectId = projectId;
    this.#revision = revision;
  }

  async find(agentId: string): Promise<Agent | null> {
    const known = this.#known.get(agentId);
    if (known !== undefined) return known;
    const agent = (await this.#reader.findAgent(this.#projectId, agentId)) ?? null;
    // If the revision has grown, the agent may not belong to these settings. It is then not cached, and the transaction
    // that writes notices the change.
    const revision = await this.#reader.findProjectRevision(this.#projectId);
    if (revision === this.#revision) this.#known.set(agentId, agent);
    return agent;
  }
}
