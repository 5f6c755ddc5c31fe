/** What commands take that load nothing else of the gate: files never seen half written, secrets out of settings. */
export { writeWholeFile } from './files/whole-file.ts';
export { readSecretSetting } from './settings/secret-setting.ts';
