import type { Command } from 'commander';
import type { VerifyFlags } from '../actions/audit-verify.ts';
import { examples, jsonOption } from '../command-options.ts';

const actions = () => import('../actions/audit-verify.ts');

export function addAuditVerifyCommand(audit: Command): void {
  audit
    .command('verify')
    .summary('verify an export, offline')
    .description(
      'Verifies an export of the audit log, offline: every record, its place in the chain and the signed end. Exit code 0 when all is sound, 1 naming the first bad record.',
    )
    .argument('<file>', 'as audit export writes it; - for stdin')
    .option(
      '--since <head>',
      'a head kept from earlier: SEQ:HASH, a signed head, a file with one, an older export',
    )
    .option('--jwks <file>', "the gate's keys, saved from /.well-known/jwks.json")
    .addOption(jsonOption())
    .addHelpText(
      'after',
      examples(
        'permitry audit verify audit.jsonl',
        'permitry audit verify audit.jsonl --since last-week.jsonl --jwks jwks.json',
      ),
    )
    .action(async (file: string, flags: VerifyFlags) => (await actions()).verify(file, flags));
}
