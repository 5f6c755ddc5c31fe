import { spawn } from 'node:child_process';
import { hostname } from 'node:os';
import { parseApiKey } from '@permitry/protocol';
import type { Command } from 'commander';
import { refused, usage } from '../command-failure.ts';
import { examples, remoteCommand } from '../command-options.ts';
import { askSecrets } from '../input/ask-secrets.ts';
import { parseDuration } from '../input/parse-argument.ts';
import { readInput } from '../input/read-input.ts';
import { printJson, printLine } from '../printing/print.ts';
import { fullTime, paint, sayVisibly } from '../printing/say.ts';
import {
  type ConnectionFlags,
  findBaseUrl,
  getBaseUrl,
  openClientAs,
  readProfile,
  warnOfPlainHttp,
} from '../profile/open-client.ts';
import { startPairing, waitForPairing } from '../profile/pair.ts';
import { readProfileFile, type SavedProfile, writeProfileFile } from '../profile/profile-file.ts';
import { type Me, readMe } from '../profile/read-me.ts';
import { tellPairing } from '../profile/tell-pairing.ts';

export function addSignInCommands(program: Command): void {
  remoteCommand(program, 'login', 'sign in to a gate in the browser')
    .description(
      'Sign in to a gate: the command shows a link and a code, and you confirm the code in the browser. The access token is stored in ~/.config/permitry/profiles.json, which only you can read. It can only read; with --allow-decide it can also decide, for at most 12 hours.',
    )
    .argument('[url]', 'address of the gate (default: as --url)')
    .option('--allow-decide', 'may also approve and deny, for at most 12 hours')
    .option(
      '--expires-in <time>',
      'time until the sign-in expires, such as 8h',
      parseDuration(60, 90 * 86_400),
    )
    .option('--name <name>', 'name of the sign-in on your account page')
    .option('--with-token', 'read an existing access token from stdin')
    .option('--no-browser', 'do not open the link in a browser')
    .addHelpText(
      'after',
      examples(
        'permitry login https://gate.example.org',
        'permitry login --allow-decide --expires-in 4h',
        'permitry login https://gate.example.org --with-token < token',
      ),
    )
    .action(login);

  remoteCommand(program, 'logout', 'sign out, here and at the gate')
    .option('--all', 'sign out of every gate')
    .addHelpText('after', examples('permitry logout'))
    .action(logout);

  remoteCommand(
    program,
    'whoami',
    'show the current identity',
    'It shows who is signed in, where, until when, and in which projects.',
  )
    .alias('status')
    .addHelpText('after', examples('permitry whoami', 'permitry status --json'))
    .action(whoami);
}

interface LoginFlags extends ConnectionFlags {
  allowDecide?: true;
  /** Seconds. */
  expiresIn?: number;
  name?: string;
  withToken?: true;
  /** `--no-browser` makes it false. */
  browser: boolean;
}

async function login(url: string | undefined, flags: LoginFlags): Promise<void> {
  const baseUrl = getBaseUrl(url === undefined ? flags : { ...flags, url });
  warnOfPlainHttp(baseUrl, flags.json === true);
  const saved = flags.withToken ? await takeToken(baseUrl, flags) : await pair(baseUrl, flags);
  const { profiles } = readProfileFile();
  await writeProfileFile({ current: baseUrl, profiles: { ...profiles, [baseUrl]: saved } });
  const { token: _token, ...shown } = saved;
  if (flags.json) return printLine({ status: 'approved', url: baseUrl, ...shown });
  process.stdout.write(
    `Signed in to ${baseUrl}${saved.email === null ? '' : ` as ${sayVisibly(saved.email)}`}.\n`,
  );
  process.stdout.write(`${rightsOf(saved.rights, saved.expires_at)}\n`);
}

async function takeToken(baseUrl: string, flags: LoginFlags): Promise<SavedProfile> {
  const { Permitry } = await import('@permitry/sdk');
  if (flags.allowDecide || flags.expiresIn !== undefined || flags.name !== undefined)
    throw usage(
      'With --with-token the token already exists. Leave out --allow-decide, --expires-in and --name.',
    );
  const text = process.stdin.isTTY
    ? await askSecrets('Pass the token on stdin: permitry login --with-token < FILE', (ask) =>
        ask('Access token'),
      )
    : (await readInput('-')).toString();
  const token = text?.trim() ?? '';
  if (!parseApiKey(token)) throw usage('Stdin holds no access token of a gate (prm_user_…).');
  const me = await readMe(new Permitry({ baseUrl, apiKey: token }));
  return { token, email: me.email, rights: me.rights, expires_at: me.expires_at };
}

async function pair(baseUrl: string, flags: LoginFlags): Promise<SavedProfile> {
  const pairing = await startPairing(baseUrl, {
    name: flags.name ?? `permitry on ${hostname()}`.slice(0, 100),
    rights: flags.allowDecide ? ['decide'] : [],
    ...(flags.expiresIn === undefined ? {} : { expiresIn: flags.expiresIn }),
  });
  tellPairing(pairing, flags);
  if (!flags.json && flags.browser && process.stdin.isTTY && process.stderr.isTTY)
    openBrowser(pairing.verification_uri_complete);
  const answer = await waitForPairing(baseUrl, pairing);
  if (answer.status === 'denied') throw refused('The sign-in was denied in the browser.');
  if (answer.status === 'expired')
    throw refused('Nobody confirmed the sign-in in time. Run the command again.');
  return {
    token: answer.token,
    email: answer.email,
    rights: answer.rights,
    expires_at: answer.expires_at,
  };
}

/** Failures do not matter: the terminal shows the link as well. */
function openBrowser(address: string): void {
  if (!/^https?:\/\/[!-~]+$/.test(address)) return;
  const [command, ...args] =
    process.platform === 'darwin'
      ? ['open', address]
      : process.platform === 'win32'
        ? ['rundll32', 'url.dll,FileProtocolHandler', address]
        : ['xdg-open', address];
  const child = spawn(command ?? '', args, { stdio: 'ignore', detached: true });
  child.on('error', () => undefined);
  child.unref();
}

/** Revokes the token at the gate. Deletes it here even if the gate cannot be reached. */
async function logout(flags: ConnectionFlags & { all?: true }): Promise<void> {
  const file = readProfileFile();
  const baseUrl = findBaseUrl(flags) ?? file.current;
  const gone = Object.entries(file.profiles).filter(([url]) => flags.all || url === baseUrl);
  if (gone.length > 0) {
    const left = Object.entries(file.profiles).filter(([url]) => !gone.some(([other]) => other === url));
    const stays = left.some(([url]) => url === file.current);
    await writeProfileFile({
      current: stays ? file.current : (left[0]?.[0] ?? null),
      profiles: Object.fromEntries(left),
    });
  }
  const ended = await Promise.all(
    gone.map(async ([url, saved]) => ({ url, revoked: await revoke(url, saved), ends: saved.expires_at })),
  );
  if (flags.json) return printJson({ signed_out: ended.map(({ url, revoked }) => ({ url, revoked })) });
  if (ended.length === 0) process.stderr.write('You are not signed in to that gate.\n');
  for (const { url, revoked, ends } of ended) {
    const life = ends === null ? 'until it is revoked' : `until ${fullTime(ends)}`;
    process.stdout.write(
      revoked
        ? `Signed out of ${url}.\n`
        : `Signed out of ${url} on this machine only. The gate did not revoke the token, which is valid ${life}. Revoke it at ${url}/account\n`,
    );
  }
}

/** Whether the token is no longer valid. Only user tokens can revoke themselves. */
async function revoke(baseUrl: string, { token, expires_at: ends }: SavedProfile): Promise<boolean> {
  const { Permitry, PermitryError } = await import('@permitry/sdk');
  if (ends !== null && Date.parse(ends) <= Date.now()) return true;
  if (parseApiKey(token)?.kind !== 'user') return false;
  try {
    await new Permitry({ baseUrl, apiKey: token }).request('POST', '/v1/me/revoke', { body: {} });
    return true;
  } catch (error) {
    return error instanceof PermitryError && error.status === 401;
  }
}

async function whoami(flags: ConnectionFlags): Promise<void> {
  const profile = await readProfile(flags);
  const me = await readMe(await openClientAs(profile));
  if (flags.json) return printJson({ url: profile.baseUrl, from: profile.from, ...me });
  const projects = me.projects.map(
    ({ name, mode, role }) => `  ${sayVisibly(`${name} (${mode}${role === null ? '' : `, ${role}`})`)}\n`,
  );
  process.stdout.write(
    `${paint('bold', sayVisibly(nameOf(me)))} at ${profile.baseUrl}, ${profile.from === 'file' ? 'signed in' : 'with PERMITRY_KEY'}
${me.kind === 'user' ? rightsOf(me.rights, me.expires_at) : lifeOf(me.expires_at)}
${projects.length === 0 ? 'No projects.\n' : `Projects:\n${projects.join('')}`}`,
  );
}

function nameOf({ kind, email, agent, name }: Me): string {
  if (agent) return `Agent ${agent.name}`;
  if (kind === 'secret')
    return `${email ?? ''} with ${name === null ? 'a secret key' : `the secret key "${name}"`}`;
  return email ?? `Executor ${name ?? ''}`;
}

function rightsOf(rights: readonly string[], expiresAt: string | null): string {
  const may = sayVisibly(['read', ...rights].join(' and '));
  return `May ${may}. ${lifeOf(expiresAt)}`;
}

function lifeOf(expiresAt: string | null): string {
  return expiresAt === null ? 'Valid until revoked.' : sayVisibly(`Valid until ${fullTime(expiresAt)}.`);
}
