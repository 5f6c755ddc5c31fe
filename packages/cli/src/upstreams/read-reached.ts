/** Reads from the command line how to reach a server. */
import { resolve } from 'node:path';
import type { UpstreamSettings } from '@permitry/server/operator';
import { usage } from '../command-failure.ts';
import { readSecretVariable } from '../input/secret-variable.ts';

export interface ReachedFlags {
  address?: string;
  header?: string[];
  env?: string[];
  cwd?: string;
}

export async function readReached(
  [command, ...args]: string[],
  flags: ReachedFlags,
): Promise<UpstreamSettings> {
  const { address, header = [], env = [], cwd } = flags;
  if (address !== undefined) {
    if (command !== undefined || env.length > 0 || cwd !== undefined)
      throw usage(
        'A server has an address or a command, not both. Leave out --address, or the command with --env and --cwd.',
      );
    return {
      kind: 'http',
      url: address,
      headers: Object.fromEntries(await Promise.all(header.map(readHeader))),
    };
  }
  if (command === undefined)
    throw usage('Name the command that speaks MCP after --, or an address with --address.');
  if (header.length > 0)
    throw usage('--header works only with --address. Pass variables to a command with --env.');
  return {
    kind: 'stdio',
    // A path is relative to this folder, wherever the gate runs.
    command: command.includes('/') ? resolve(command) : command,
    args,
    env: Object.fromEntries(await Promise.all(env.map(readVariable))),
    cwd: resolve(cwd ?? '.'),
  };
}

async function readHeader(text: string): Promise<[string, string]> {
  const [name = '', variable] = splitOnce(text);
  if (variable === undefined)
    throw usage(`--header ${name} has no value. Name the variable that holds it: --header ${name}=VARIABLE`);
  return [name, await ownVariable(variable, '--header')];
}

async function readVariable(text: string): Promise<[string, string]> {
  const [name = '', value] = splitOnce(text);
  return [name, value ?? (await ownVariable(name, '--env'))];
}

function splitOnce(text: string): [string, string?] {
  const at = text.indexOf('=');
  return at < 0 ? [text] : [text.slice(0, at), text.slice(at + 1)];
}

async function ownVariable(name: string, flag: string): Promise<string> {
  const value = await readSecretVariable(name);
  if (value === undefined) throw usage(`${flag}: the variable ${name} is not set in your environment.`);
  return value;
}
