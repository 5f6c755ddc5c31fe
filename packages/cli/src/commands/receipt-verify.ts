import { type Command, Option } from 'commander';
import type { VerifyFlags } from '../actions/receipt-verify.ts';
import { examples, jsonOption } from '../command-options.ts';

const actions = () => import('../actions/receipt-verify.ts');

export function addReceiptVerifyCommand(receipt: Command): void {
  receipt
    .command('verify')
    .summary('whether the people it names approved this, offline')
    .description(
      'Says for each approver whether their own passkey or device key signed this exact intent. Nothing is fetched, and the gate is not believed: keys come from files you pinned before. Exit code 0 when everybody signed and all that was given fits, 1 otherwise.',
    )
    .argument('<file>', 'receipt_v2, an answer that has it, or its jws; - for stdin')
    .addOption(
      new Option('--approvers <file>', "approvers' keys, as each exports their own; repeatable").argParser(
        (path: string, earlier: string[] = []) => [...earlier, path],
      ),
    )
    .option('--intent <file>', 'all that was hashed, where the file has it not')
    .option('--action <name>', 'the action it must be for')
    .option('--params <file>', 'the parameters it must be for, as JSON')
    .option('--jwks <file>', "the gate's keys, saved from /.well-known/jwks.json")
    .option('--issuer <url>', 'with --jwks: base_url of the gate')
    .addOption(jsonOption())
    .addHelpText(
      'after',
      examples(
        'permitry receipt verify r.json --approvers ana.json --intent intent.json',
        'permitry receipt verify r.json --jwks jwks.json --issuer https://g.example',
      ),
    )
    .action(async (file: string, flags: VerifyFlags) => (await actions()).verify(file, flags));
}
