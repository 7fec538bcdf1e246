import { type ExpandedWord, unknown } from '../shell/field.ts';
import { nameList, sortArguments } from './options.ts';
import type { KnownProgram, ProgramCall, Programs } from './program.ts';

function changing(reading: RegExp): KnownProgram {
  return ({ name, args, shell }) => {
    const words = sortArguments(args)
      .operands.map(({ text }) => text)
      .join(' ');
    const flags = args.map(({ text }) => text).join(' ');
    if (!reading.test(words === '' ? flags : words))
      shell.add({
        kind: 'machine.change',
        values: { operations: [`${name} ${flags}`.slice(0, 200)] },
      });
    return unknown();
  };
}

const always = changing(/(?!)/);

function kill({ name, args, shell }: ProgramCall): ExpandedWord | undefined {
  const words = args.filter(
    ({ text }, index) => !(index === 0 && /^-(?:\d+|[A-Z]+|s|l|L|n)$/.test(text)),
  );
  const isAll =
    words.some(({ text }) => /^-?1$|^-\d+$/.test(text)) && name === 'kill' && args.length > 1;
  const isOurs = args.some(({ text }) =>
    /surety|keeper|claude|codex|cursor|gemini|opencode/i.test(text),
  );
  const isWide =
    name !== 'kill' &&
    args.some(
      ({ text, kind }) =>
        kind === 'unknown' ||
        /^(?:-u|-U|-g|-t|\.|\.\*|-v|--inverse|node|bash|sh|sshd?|systemd|init|dockerd|)$/.test(
          text,
        ),
    ) &&
    !args.some(({ text }) => text === '-f');
  if (isAll || isWide)
    shell.add({
      kind: 'machine.change',
      values: { operations: [`${name} ${args.map(({ text }) => text).join(' ')}`.slice(0, 200)] },
    });
  if (isOurs)
    shell.add({
      kind: 'surety.control',
      values: { operations: [`${name} ${args.map(({ text }) => text).join(' ')}`.slice(0, 200)] },
    });
  return undefined;
}

const suretyReading =
  /^(?:status|doctor|logs|version|verify|verdicts?|explain|proposals|approvals|budgets|task|ledger (?:tail|show|verify|replay)|policy (?:check|test|show|diff|draft)|plan|contracts|lane|lanes|curl|exec|check|reach|telemetry|query|graph|metrics|traces|trace|errors|slow|mcp tools|hook status|gaps|stats|alerts|investigate|system (?:status|logs|data|up|restart)|services|deployments|calibrate|init|\S*help)\b/;

/** Surety itself: an agent may look and work, but not decide for a person. */
function surety({ args, shell }: ProgramCall): ExpandedWord | undefined {
  const { operands } = sortArguments(args, ['C', 'directory', 'agent', 'task']);
  const words = operands.map(({ text }) => text).join(' ');
  if (operands[0]?.text === 'exec') {
    const at = args.findIndex(({ text }) => text === '--');
    return shell.run(at >= 0 ? args.slice(at + 1) : operands.slice(1));
  }
  if (operands.some(({ kind }) => kind !== 'exact') || (words !== '' && !suretyReading.test(words)))
    shell.add({
      kind: 'surety.control',
      values: { operations: [`surety ${words}`.slice(0, 200)] },
    });
  return undefined;
}

export const machinePrograms: Programs = {
  kill,
  pkill: kill,
  killall: kill,
  fuser: kill,
  surety,
  ...Object.fromEntries(
    nameList(`
      shutdown reboot halt poweroff init telinit useradd userdel usermod groupadd
      groupdel adduser deluser passwd chpasswd chsh visudo vipw umount mkfs mkfs.ext4
      mke2fs fdisk parted sfdisk wipefs mkswap swapon swapoff losetup cryptsetup
      lvremove vgremove insmod rmmod modprobe nft ufw firewall-cmd setenforce semanage
      update-alternatives ldconfig dconf gsettings defaults diskutil hdiutil spctl
      csrutil nvram pmset scutil networksetup tccutil setcap mknod pivot_root kexec
      grub-install efibootmgr newgrp loginctl hostnamectl timedatectl localectl
      netplan nmcli iw rfkill badblocks debugfs dmsetup zpool zfs btrfs
    `).map((name) => [name, always]),
  ),
  mount: changing(/^$/),
  sysctl: changing(/^(?:-a|-n .*|[\w.]+)$/),
  systemctl: changing(/^(?:status|list-\S+|is-\S+|show|cat|help)\b/),
  service: changing(/ status$|^--status-all$/),
  launchctl: changing(/^(?:list|print)\b/),
  journalctl: changing(/^(?!.*(?:vacuum|rotate|flush))/),
  dmesg: changing(/^(?!.*-[cCD])/),
  crontab: changing(/^-l$/),
  ip: changing(/^(?:addr|address|a|link|route|r|neigh|rule|maddr)?(?: (?:show|list|ls|get)\b.*)?$/),
  ifconfig: changing(/^\S*$/),
  route: changing(/^$|^-n$/),
  iptables: changing(/^-[LSn]+/),
  arp: changing(/^$|^-a$/),
  security: changing(/(?!)/),
  'ssh-keygen': ({ args, shell }) => {
    const { valuesOf, has } = sortArguments(args, nameList('f t b C N P m O I s D Y'));
    if (has('D', 'Y')) shell.unresolved('ssh-keygen loads a library');
    for (const file of valuesOf('f')) (has('l', 'y', 'e') ? shell.reads : shell.writes)(file);
    if (valuesOf('f').length === 0 && !has('l', 'F'))
      shell.writes({ kind: 'exact', text: `${shell.home}/.ssh/id_ed25519` });
    return undefined;
  },
  'ssh-add': ({ args, shell }) => {
    if (!args.every(({ text }) => /^-[lL]$/.test(text)))
      shell.add({ kind: 'secret.read', values: { paths: ['ssh-agent'] } });
    return undefined;
  },
  'ssh-agent': always,
  gpg: ({ args, shell }) => {
    const { has, operands, valuesOf } = sortArguments(
      args,
      nameList('o output r recipient u passphrase homedir default-key'),
    );
    if (
      has(
        'd',
        'decrypt',
        'export-secret-keys',
        'export-secret-subkeys',
        'delete-secret-keys',
        'homedir',
      )
    )
      shell.add({ kind: 'secret.read', values: { paths: ['gpg secret keys'] } });
    for (const file of valuesOf('o', 'output')) shell.writes(file);
    for (const file of operands) shell.reads(file);
    return undefined;
  },
  pass: ({ shell }) => shell.add({ kind: 'secret.read', values: { paths: ['pass'] } }) as undefined,
  op: ({ shell }) =>
    shell.add({ kind: 'secret.read', values: { paths: ['1password'] } }) as undefined,
  bw: ({ shell }) =>
    shell.add({ kind: 'secret.read', values: { paths: ['bitwarden'] } }) as undefined,
  sops: ({ args, shell }) => {
    if (args.some(({ text }) => /^(?:-d|--decrypt|decrypt|exec-\w+)$/.test(text)))
      shell.add({ kind: 'secret.read', values: { paths: ['sops'] } });
    for (const file of sortArguments(args).operands) shell.writes(file);
    return undefined;
  },
  'secret-tool': ({ shell }) =>
    shell.add({ kind: 'secret.read', values: { paths: ['keyring'] } }) as undefined,
};
