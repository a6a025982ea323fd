#!/bin/sh
# A bot in shell: the first legal action. See docs/bots.md.
while read -r line; do
    case $line in
    '{"type":"move"'*)
        legal=${line#*\"legal\":\[}
        echo "{\"action\": ${legal%%[],]*}}"
        ;;
    esac
done
