mkdir -p archive
cp *.log archive/
