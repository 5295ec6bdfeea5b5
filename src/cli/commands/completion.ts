import { chooseService } from '../chooseService.ts';
import { type Command, ExitCode, UsageError, writeOut } from '../Command.ts';
import { parseOptions } from '../parseOptions.ts';

export const completion: Command = {
  name: 'completion',
  overview: [16, 'print what completes commands in bash or zsh'],
  usage: 'bash|zsh',
  about: 'Prints a script for the shell. With it, Tab completes commands, their options and the names of operations.',
  options: {},
  examples: [
    ['trawler completion bash >> ~/.bashrc', 'for bash'],
    ['trawler completion zsh >> ~/.zshrc', 'for zsh'],
  ],
  async run(argv, io, commands) {
    const { positionals } = parseOptions(argv, {}, 'trawler completion');
    const [shell, more] = positionals;
    if ((shell !== 'bash' && shell !== 'zsh') || more !== undefined)
      throw new UsageError('trawler completion is for bash or zsh.', { hint: 'Write: trawler completion bash' });
    const all = await Promise.all(Object.values(commands).map(({ load }) => load()));
    const { operations } = await chooseService(undefined);
    const start = shell === 'zsh' ? 'autoload -Uz compinit bashcompinit && compinit && bashcompinit\n' : '';
    await writeOut(io.stdout, start + scriptFor(all, Object.keys(operations)));
    return ExitCode.done;
  },
};

/** A script for bash. With its `bashcompinit`, zsh runs it too. */
function scriptFor(commands: readonly Command[], operations: readonly string[]): string {
  const cases = commands.map(({ name, usage, options }) => {
    const flags = [...Object.keys(options), 'help'].map((option) => `--${option}`);
    const [word = ''] = usage.split(' ');
    const first = /OPERATION|^\[NAME\]$/.test(word) ? operations : /^[a-z]+(\|[a-z]+)+$/.test(word) ? word.split('|') : [];
    return `    ${name}) options='${flags.join(' ')}' first='${first.join(' ')}' ;;`;
  });
  return `_trawler() {
  local current=\${COMP_WORDS[COMP_CWORD]} options='' first=''
  if [ "$COMP_CWORD" -eq 1 ]; then
    COMPREPLY=($(compgen -W '${commands.map(({ name }) => name).join(' ')} help' -- "$current"))
    return
  fi
  case \${COMP_WORDS[1]} in
${cases.join('\n')}
  esac
  case $current in
    -*) COMPREPLY=($(compgen -W "$options" -- "$current")) ;;
    *)
      COMPREPLY=()
      if [ "$COMP_CWORD" -eq 2 ]; then COMPREPLY=($(compgen -W "$first" -- "$current")); fi
      if [ "\${#COMPREPLY[@]}" -eq 0 ]; then COMPREPLY=($(compgen -f -- "$current")); fi
      ;;
  esac
}
complete -o filenames -F _trawler trawler
`;
}
