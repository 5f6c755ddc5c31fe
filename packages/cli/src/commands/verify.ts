import { readFile } from 'node:fs/promises';
import { decodePermit, type JsonObject } from '@permitry/protocol';
import type { Command } from 'commander';
import { usage } from '../command-failure.ts';
import { examples, remoteCommand } from '../command-options.ts';
import { readInput } from '../input/read-input.ts';
import { readObject } from '../intents/read-object.ts';
import { printJson } from '../printing/print.ts';
import { fullTime, paint, sayVisibly } from '../printing/say.ts';
import { toBaseUrl } from '../profile/base-url.ts';
import { type ConnectionFlags, openClient } from '../profile/open-client.ts';

export function addVerifyCommand(program: Command): void {
  remoteCommand(
    program,
    'verify',
    'verify a permit for an action',
    'Use it in an executor, right before the action runs.',
  )
    .argument('[file]', 'file that holds the permit; - for stdin', '-')
    .requiredOption('--action <name>', 'the action that is about to run')
    .option('--params <json>', "its parameters: '{…}', @FILE or - for stdin")
    .option('--consume', 'use the permit: a "valid" answer authorises one run')
    .option('--offline', 'do not ask the gate; uses and revocations are then unknown')
    .option('--jwks <file>', 'offline: keys saved from /.well-known/jwks.json')
    .option('--issuer <url>', 'offline: address of the gate')
    .option('--audience <id>', 'offline: ID of the project')
    .option('--accept-test-permits', 'offline: also accept permits of projects in test mode')
    .addHelpText(
      'after',
      examples(
        'permitry verify permit.jwt --action deploy --params @params.json --consume',
        'permitry verify - --action deploy --offline --issuer https://g.example \\\n      --audience prj_01hzy8 < permit.jwt',
      ),
    )
    .action(verify);
}

interface VerifyFlags extends ConnectionFlags {
  action: string;
  params?: string;
  consume?: true;
  offline?: true;
  jwks?: string;
  issuer?: string;
  audience?: string;
  acceptTestPermits?: true;
}

/** The result of verifying online or offline, with the gate's names. */
interface Verified {
  valid: true;
  consumed: boolean;
  intent_id: string;
  approved_by: string;
  expires_at: string;
  mode: string;
}

async function verify(path: string, flags: VerifyFlags): Promise<void> {
  assertFlags(path, flags);
  const token = (await readInput(path)).toString().trim();
  const params = await readObject('--params', flags.params);
  const refusal = isUnacceptedTestPermit(token, flags)
    ? TEST_PERMIT
    : await attempt(() => (flags.offline ? offline(token, params, flags) : online(token, params, flags)));
  if ('refused' in refusal) {
    // This is a result, not an error, so it goes to stdout.
    if (flags.json) printJson({ valid: false, reason: refusal.refused, message: refusal.message });
    else
      process.stdout.write(
        `${paint('red', 'refused')}: ${sayVisibly(`${refusal.refused}: ${refusal.message}`)}\n`,
      );
    process.exitCode = 1;
    return;
  }
  if (flags.json) return printJson(refusal);
  const { consumed, intent_id, approved_by, expires_at, mode } = refusal;
  process.stdout.write(
    `${paint('green', consumed ? 'valid, now used' : 'valid')}: ${sayVisibly(`${intent_id}, approved by ${approved_by}, expires ${fullTime(expires_at)}, ${mode} mode`)}\n`,
  );
  if (flags.offline) {
    process.stderr.write(
      'Offline verification does not see uses and revocations. Use the permit at the gate before you act.\n',
    );
  }
}

/** A reason of this command alone: the SDK's verifier treats such a permit as one of another project. */
const TEST_PERMIT = {
  refused: 'test_permit',
  message: 'This permit is from a project in test mode. Pass --accept-test-permits to accept it.',
};

function isUnacceptedTestPermit(
  token: string,
  { offline: isOffline, acceptTestPermits }: VerifyFlags,
): boolean {
  return isOffline === true && acceptTestPermits !== true && decodePermit(token, { mode: 'test' }).ok;
}

function assertFlags(path: string, flags: VerifyFlags): void {
  if (path === '-' && flags.params === '-')
    throw usage('Only one of the permit and --params can be read from stdin.');
  if (!flags.offline) {
    const misplaced = (['jwks', 'issuer', 'audience', 'acceptTestPermits'] as const).filter(
      (name) => flags[name] !== undefined,
    );
    if (misplaced.length > 0)
      throw usage('--jwks, --issuer, --audience and --accept-test-permits work only with --offline.');
    return;
  }
  if (flags.consume)
    throw usage('Only the gate knows whether a permit was used. Leave out --offline or --consume.');
  if (flags.issuer === undefined || flags.audience === undefined)
    throw usage('--offline needs --issuer (the address of the gate) and --audience (the ID of the project).');
}

async function attempt(
  check: () => Promise<Verified>,
): Promise<Verified | { refused: string; message: string }> {
  const { PermitRefusedError, PermitryError } = await import('@permitry/sdk');
  try {
    return await check();
  } catch (error) {
    if (error instanceof PermitRefusedError) return { refused: error.reason, message: error.message };
    if (error instanceof PermitryError && error.code === 'permit_invalid')
      return { refused: String(error.reason ?? error.code), message: error.message };
    throw error;
  }
}

async function online(token: string, params: JsonObject, flags: VerifyFlags): Promise<Verified> {
  const { permits } = await openClient(flags);
  const presented = { token, action: flags.action, params };
  return flags.consume ? permits.consume(presented) : permits.verify(presented);
}

/** Verifies without a connection if `--jwks` names saved keys. */
async function offline(token: string, params: JsonObject, flags: VerifyFlags): Promise<Verified> {
  const { createVerifier } = await import('@permitry/sdk');
  const saved = flags.jwks === undefined ? undefined : await readFile(flags.jwks);
  const verifier = createVerifier({
    issuer: toBaseUrl(flags.issuer ?? ''),
    audience: flags.audience ?? '',
    acceptTestPermits: flags.acceptTestPermits === true,
    ...(saved ? { fetch: async () => new Response(saved, { headers: JSON_TYPE }) } : {}),
  });
  const permit = await verifier.verify({ token, action: flags.action, params });
  return { valid: true, consumed: false, ...permit };
}

const JSON_TYPE = { 'content-type': 'application/json' };
