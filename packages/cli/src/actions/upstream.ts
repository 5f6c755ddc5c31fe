import type { RiskTier } from '@permitry/protocol';
import type { GateParts } from '@permitry/server';
import {
  addUpstream,
  approveTools,
  listUpstreams,
  listUpstreamTools,
  openSettings,
  openToUpstreams,
  refreshUpstream,
  removeUpstream,
  riskTierOf,
  toWireUpstream,
  toWireUpstreamTool,
  type Upstream,
  type UpstreamTool,
  withdrawTools,
} from '@permitry/server/upstream';
import { allPages } from '../all-pages.ts';
import { CommandFailure } from '../command-failure.ts';
import type { AdminFlags } from '../command-options.ts';
import { findProject } from '../find-project.ts';
import { confirm } from '../input/ask.ts';
import { withGate } from '../open-gate-for-admin.ts';
import { OPERATOR } from '../operator.ts';
import { counted } from '../printing/counted.ts';
import { printJson } from '../printing/print-json.ts';
import { printTable } from '../printing/print-table.ts';
import { sayVisibly } from '../printing/say-visibly.ts';
import { shortTime } from '../printing/short-time.ts';
import {
  firstLine,
  sayReached,
  sayState,
  showFound,
  showObstacles,
  withoutSecrets,
} from '../upstreams/describe-upstream.ts';
import { type ReachedFlags, readReached } from '../upstreams/read-reached.ts';

export interface AddFlags extends AdminFlags, ReachedFlags {
  risk: RiskTier;
  timeout: number;
  yes?: true;
}

export interface ApproveFlags extends AdminFlags {
  risk?: RiskTier | 'server';
  yes?: true;
}

/** One server of the project that is meant, and the gate it belongs to. */
interface At {
  gate: GateParts;
  projectId: string;
  upstream: Upstream;
}

export async function add(name: string, command: string[], flags: AddFlags): Promise<void> {
  const settings = readReached(command, flags);
  await withUpstreams(flags, async (gate, projectId) => {
    const added = await addUpstream(gate, OPERATOR, {
      projectId,
      name,
      settings,
      riskTier: flags.risk,
      timeoutSeconds: flags.timeout,
    });
    const at = { gate, projectId, upstream: await poll({ gate, projectId, upstream: added }) };
    if (at.upstream.error !== null) {
      if (flags.json) printJson(await toJson(at));
      throw new CommandFailure(
        1,
        `${name} is registered, and cannot be talked to: ${sayVisibly(at.upstream.error)} Put it right and look again with: permitry upstream refresh ${name}`,
      );
    }
    const found = await toolsOf(at);
    if (!flags.json) showObstacles(at.upstream, found);
    const waiting = found.filter(isWaiting);
    const isMeant = flags.yes === true || (!flags.json && (await isApproved(at, waiting)));
    if (isMeant) await approveAll(at, waiting);
    if (flags.json) return printJson(await toJson(at));
    process.stdout.write(
      isMeant
        ? `${name} is behind the gate: ${counted(waiting.length, 'tool')} offered.\n`
        : `${name} is registered; none of its tools is offered. Approve them with: permitry upstream approve ${name}\n`,
    );
  });
}

/** Shows what would be approved, and asks at a terminal; without one the answer is no. */
async function isApproved(at: At, tools: readonly UpstreamTool[]): Promise<boolean> {
  showFound(at.upstream, tools);
  if (tools.length === 0 || !process.stdin.isTTY || !process.stderr.isTTY) return false;
  return confirm(`Offer ${counted(tools.length, 'tool')} to the agents of this project, as shown?`, '');
}

export async function list(flags: AdminFlags): Promise<void> {
  await withUpstreams(flags, async (gate, projectId) => {
    const upstreams = await allPages((page) => listUpstreams(gate, OPERATOR, { projectId, ...page }));
    if (flags.json) return printJson(upstreams.map(toWireUpstream));
    printTable(
      upstreams,
      [
        { title: 'NAME', text: (upstream) => upstream.name },
        { title: 'KIND', text: ({ kind }) => kind },
        { title: 'TARGET', text: ({ target }) => target, shrinks: true },
        { title: 'RISK', text: ({ riskTier }) => riskTier },
        { title: 'STATE', text: sayState, shrinks: true },
      ],
      'This project has no upstream servers; put one behind the gate with: permitry upstream add NAME -- COMMAND',
    );
  });
}

export async function show(name: string, flags: AdminFlags): Promise<void> {
  await withUpstream(name, flags, async (at) => {
    const { gate, upstream } = at;
    const settings = openSettings(gate, upstream);
    if (flags.json) return printJson({ ...toWireUpstream(upstream), ...withoutSecrets(settings) });
    const facts: [string, string][] = [
      ['name', upstream.name],
      ['id', upstream.id],
      ...sayReached(settings),
      ['secrets', upstream.secretNames.join(', ') || 'none'],
      ['risk', upstream.riskTier],
      ['timeout', `${upstream.timeoutSeconds} s`],
      ['server', upstream.server ? Object.values(upstream.server).join(' ') : 'never talked to'],
      ['state', sayState(upstream)],
    ];
    process.stdout.write(facts.map(([what, text]) => `${what.padEnd(9)}${sayVisibly(text)}\n`).join(''));
  });
}

export async function tools(name: string, flags: AdminFlags): Promise<void> {
  await withUpstream(name, flags, async (at) => {
    const found = await toolsOf(at);
    if (flags.json) return printJson(found.map((tool) => toWireUpstreamTool(at.upstream, tool)));
    printTable(
      found,
      [
        { title: 'TOOL', text: (tool) => tool.name, shrinks: true },
        { title: 'STATE', text: ({ state, obstacle }) => (obstacle === null ? state : 'cannot be offered') },
        { title: 'RISK', text: (tool) => riskTierOf(at.upstream, tool, tool.pinned ?? tool.found) },
        { title: 'CHANGED', text: ({ changedAt }) => shortTime(changedAt) },
        {
          title: 'HASH',
          text: ({ found: definition, pinned }) => (definition ?? pinned)?.hash.slice(0, 19) ?? '',
        },
        {
          title: 'SAYS',
          text: ({ obstacle, found: definition, pinned }) => obstacle ?? firstLine(definition ?? pinned),
          shrinks: true,
        },
      ],
      'Nothing is known of its tools; look at them with: permitry upstream refresh NAME',
    );
  });
}

export async function refresh(name: string, flags: AdminFlags): Promise<void> {
  await withUpstream(name, flags, async (at) => {
    const upstream = await poll(at);
    const seen = { ...at, upstream };
    if (flags.json) printJson(await toJson(seen));
    if (upstream.error !== null)
      throw new CommandFailure(1, `It cannot be talked to: ${sayVisibly(upstream.error)}`);
    if (flags.json) return;
    const found = await toolsOf(seen);
    const waiting = found.filter(isWaiting);
    showFound(seen.upstream, waiting);
    showObstacles(seen.upstream, found);
    const offered = found.filter(({ state }) => state === 'approved').length;
    process.stdout.write(
      `${counted(offered, 'tool')} offered, ${waiting.length} to be approved${waiting.length > 0 ? `: permitry upstream approve ${upstream.name}` : ''}.\n`,
    );
  });
}

export async function approve(name: string, wanted: string[], flags: ApproveFlags): Promise<void> {
  await withUpstream(name, flags, async (at) => {
    const found = await toolsOf(at);
    for (const one of wanted)
      if (!found.some((tool) => tool.name === one))
        throw new CommandFailure(1, `${at.upstream.name} has no tool ${one}.`, { code: 'not_found' });
    const meant = found.filter((tool) =>
      wanted.length === 0 ? isWaiting(tool) : wanted.includes(tool.name),
    );
    if (meant.length === 0) {
      if (flags.json) return printJson([]);
      process.stdout.write('No tool waits to be approved.\n');
      return;
    }
    // Whoever is asked has seen it, whatever is answered in.
    if (!flags.json || !flags.yes) showFound(at.upstream, meant);
    const isMeant =
      flags.yes ||
      (await confirm(
        `Offer ${counted(meant.length, 'tool')} to the agents of this project, as shown?`,
        'Nobody can be asked here whether this is meant: add --yes.',
      ));
    if (!isMeant) throw new CommandFailure(1, 'Nothing was approved.');
    const approved = await approveAll(at, meant, flags.risk);
    if (flags.json) return printJson(approved.map((tool) => toWireUpstreamTool(at.upstream, tool)));
    process.stdout.write(`${counted(approved.length, 'tool')} offered.\n`);
  });
}

export async function withdraw(name: string, names: string[], flags: AdminFlags): Promise<void> {
  await withUpstream(name, flags, async ({ gate, projectId, upstream }) => {
    await withdrawTools(gate, OPERATOR, { projectId, upstreamId: upstream.id, tools: names });
    if (flags.json) return printJson({ upstream_id: upstream.id, withdrawn: names });
    process.stdout.write(`${counted(names.length, 'tool')} offered no more.\n`);
  });
}

export async function remove(name: string, flags: AdminFlags): Promise<void> {
  await withUpstream(name, flags, async ({ gate, projectId, upstream }) => {
    await removeUpstream(gate, OPERATOR, { projectId, upstreamId: upstream.id });
    if (flags.json) return printJson({ id: upstream.id, name: upstream.name, removed: true });
    process.stdout.write(`Removed ${upstream.name}.\n`);
  });
}

async function withUpstreams(
  flags: AdminFlags,
  work: (gate: GateParts, projectId: string) => Promise<void>,
): Promise<void> {
  await withGate(
    flags,
    async (gate) => work(gate, (await findProject(gate, flags.project)).id),
    ({ allowPrivateTargets }) =>
      openToUpstreams(process.env, {
        allowedPrivate: allowPrivateTargets,
        onErrorLine: (line) => process.stderr.write(`${sayVisibly(line)}\n`),
      }),
  );
}

async function withUpstream(
  idOrName: string,
  flags: AdminFlags,
  work: (at: At) => Promise<void>,
): Promise<void> {
  await withUpstreams(flags, async (gate, projectId) => {
    const upstreams = await allPages((page) => listUpstreams(gate, OPERATOR, { projectId, ...page }));
    const upstream = upstreams.find(({ id, name }) => id === idOrName || name === idOrName);
    if (!upstream) {
      const names = upstreams.map(({ name }) => name).join(', ') || 'none';
      throw new CommandFailure(1, `There is no upstream server "${idOrName}" here; there is ${names}.`, {
        code: 'not_found',
      });
    }
    await work({ gate, projectId, upstream });
  });
}

function poll({ gate, projectId, upstream }: At): Promise<Upstream> {
  return refreshUpstream(gate, OPERATOR, { projectId, upstreamId: upstream.id });
}

function toolsOf({ gate, projectId, upstream }: At): Promise<readonly UpstreamTool[]> {
  return listUpstreamTools(gate, OPERATOR, { projectId, upstreamId: upstream.id });
}

function approveAll(
  { gate, projectId, upstream }: At,
  meant: readonly UpstreamTool[],
  risk?: RiskTier | 'server',
): Promise<readonly UpstreamTool[]> {
  if (meant.length === 0) return Promise.resolve([]);
  return approveTools(gate, OPERATOR, {
    projectId,
    upstreamId: upstream.id,
    tools: meant.map(({ name, found }) => ({
      name,
      // Of what was shown: another by now is refused.
      hash: found?.hash ?? '',
      ...(risk === undefined ? {} : { riskTier: risk === 'server' ? null : risk }),
    })),
  });
}

function isWaiting({ state, found, obstacle }: UpstreamTool): boolean {
  return (state === 'new' || state === 'changed') && found !== null && obstacle === null;
}

async function toJson(at: At): Promise<object> {
  const found = await toolsOf(at);
  return {
    ...toWireUpstream(at.upstream),
    tools: found.map((tool) => toWireUpstreamTool(at.upstream, tool)),
  };
}
